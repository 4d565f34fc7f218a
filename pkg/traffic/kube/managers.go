package kube

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// reconcilers are writers that set again what they declare, whoever changed it, under the names that they give themselves. A
// second writer would fight them for ever. The name ends where a version or a suffix may begin.
var reconcilers = []string{
	"argocd", "argo-rollouts", "rollouts-controller", "gatewayapi", "flagger", "kustomize-controller", "helm-controller", "flux",
	"fleetagent", "config-sync", "configsync", "crossplane",
}

// hands are writers that act when a person or a pipeline tells them. They may apply declaratively and still set nothing back.
var hands = []string{manager, "kubectl", "helm", "terraform", "oc", "k9s"}

// checkManagers refuses to steer fields that another controller holds, or any of an object that a controller made. path leads to
// them in managedFields.
func checkManagers(o Object, path []string) error {
	for _, owner := range o.Meta.OwnerReferences {
		if owner.Controller {
			return fmt.Errorf("%w: %s is made by the controller of %s %s, which would set the weights back; steer that instead",
				traffic.ErrRefused, o.Ref, owner.Kind, owner.Name)
		}
	}
	for _, m := range o.Meta.ManagedFields {
		if m.Subresource != "" || !reconciles(m) || !owns(m.FieldsV1, path) {
			continue
		}
		return fmt.Errorf("%w: the weights of %s are managed by %q (%s), which would set them back; take them out of what it manages, "+
			"or let it do the rollout", traffic.ErrRefused, o.Ref, m.Manager, m.Operation)
	}
	return nil
}

func reconciles(m ManagedField) bool {
	if anyPrefix(reconcilers, m.Manager) {
		return true
	}
	return m.Operation == "Apply" && !anyPrefix(hands, m.Manager)
}

func anyPrefix(names []string, name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(names, func(n string) bool {
		rest, found := strings.CutPrefix(name, n)
		return found && (rest == "" || !isLetter(rest[0]))
	})
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// owns reports whether a set of fields holds the field at path: itself, or the whole of which it is part. Lists that are
// replaced as one, as those of routes are, end the way in the set.
func owns(set json.RawMessage, path []string) bool {
	for _, step := range path {
		var fields map[string]json.RawMessage
		if json.Unmarshal(set, &fields) != nil {
			return false
		}
		if len(fields) == 0 {
			return true
		}
		next, found := fields["f:"+step]
		if !found {
			return false
		}
		set = next
	}
	return true
}
