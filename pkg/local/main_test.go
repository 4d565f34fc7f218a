package local_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/local/localtest"
)

// Roles that this test binary plays as its own child.
const (
	envRole      = "SWAPGATE_LOCAL_TEST_ROLE"
	roleStubborn = "stubborn"
	roleFailing  = "failing"
	roleParent   = "parent"
	envLog       = "SWAPGATE_LOCAL_TEST_LOG"
)

func TestMain(m *testing.M) {
	switch os.Getenv(envRole) {
	case roleStubborn:
		ignoreTermination()
	case roleFailing:
		fmt.Println("cannot go on")
		os.Exit(3)
	case roleParent:
		parentOfOne()
	default:
		localtest.Main(m)
	}
}

// role runs this test binary as a child in a role.
func role(t *testing.T, name, logFile string) local.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return local.Command{
		Name: "the " + name + " child", Path: self, Env: []string{envRole + "=" + name, envLog + "=" + logFile}, LogFile: logFile,
	}
}

// parentOfOne starts a child, says which, and waits to be killed.
func parentOfOne() {
	logFile := os.Getenv(envLog) + ".grandchild"
	child, err := local.Start(local.Command{
		Name: "grandchild", Path: os.Args[0], Env: []string{envRole + "=" + roleStubborn}, LogFile: logFile,
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("grandchild %d\n", child.PID())
	<-child.Ended()
}
