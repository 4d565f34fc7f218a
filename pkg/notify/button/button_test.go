package button_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/notify/button"
)

var key = button.NewKey("xoxb-1-secret")

func value() button.Value {
	return button.Value{Action: button.Approve, WorkflowID: "swap-chat", RunID: "run-1", Weight: 20, Seq: 7}
}

func TestASignedValueIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := button.Value{
			Action:     rapid.SampledFrom(button.Actions[:]).Draw(t, "action"),
			WorkflowID: "swap-" + rapid.StringMatching(`[a-z0-9-]{1,62}`).Draw(t, "target"),
			RunID:      rapid.StringMatching(`[a-z0-9-]{1,64}`).Draw(t, "run"),
			Weight:     rapid.IntRange(0, 100).Draw(t, "weight"), Seq: rapid.IntRange(1, 1<<30).Draw(t, "seq"),
		}
		signed, err := key.Sign(v)
		require.NoError(t, err)
		got, err := key.Verify(signed)
		require.NoError(t, err)
		require.Equal(t, v, got)
	})
}

func TestForgedValuesAreRefused(t *testing.T) {
	signed, err := key.Sign(value())
	require.NoError(t, err)
	parts := strings.Split(signed, ".")
	other := value()
	other.RunID = "run-2"
	foreign, err := button.NewKey("xoxb-2-other").Sign(other)
	require.NoError(t, err)
	for name, forged := range map[string]string{
		"another run under this signature": strings.Join([]string{"v1", strings.Split(foreign, ".")[1], parts[2]}, "."),
		"another token":                    foreign,
		"no signature":                     "v1." + parts[1] + ".",
		"a part of the signature":          signed[:len(signed)-7],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := key.Verify(forged)
			require.ErrorIs(t, err, button.ErrForged)
		})
	}
}

func TestMalformedValuesAreRefused(t *testing.T) {
	body := func(json string) string { return "v1." + base64.RawURLEncoding.EncodeToString([]byte(json)) + ".AAAA" }
	for _, v := range []string{
		"", "approve", "v1", "v1..", "v2.e30.AAAA", "v1.%%.AAAA", "v1.e30.%%", body(`{}`), body(`[]`),
		body(`{"a":"abort","w":"swap-chat","r":"x","n":1}`),
		body(`{"a":"approve","w":"rollback-chat","r":"x","n":1}`),
		body(`{"a":"approve","w":"swap-","r":"x","n":1}`),
		body(`{"a":"approve","w":"swap-chat","n":1}`),
		body(`{"a":"approve","w":"swap-chat","r":"x"}`),
		body(`{"a":"approve","w":"swap-chat","r":"x","n":1,"p":101}`),
		strings.Repeat("x", 2001),
	} {
		_, err := key.Verify(v)
		require.ErrorIs(t, err, button.ErrMalformed, v)
		_, err = button.Unverified(v)
		require.ErrorIs(t, err, button.ErrMalformed, v)
	}
}

func TestTheSameButtonAsksForTheSameUpdate(t *testing.T) {
	v := value()
	require.Equal(t, "slack-approve-7", v.UpdateID())
	later := v
	later.Seq++
	require.NotEqual(t, v.UpdateID(), later.UpdateID())
}

func TestTheKeyHidesItself(t *testing.T) {
	require.Equal(t, "[button key] [button key]", fmt.Sprintf("%v %#v", key, key))
}

func TestALongIdIsAnErrorAndNotACutValue(t *testing.T) {
	v := value()
	v.WorkflowID = "swap-" + strings.Repeat("x", 2000)
	_, err := key.Sign(v)
	require.ErrorContains(t, err, "more than Slack's 2000")
}

func FuzzVerify(f *testing.F) {
	signed, err := key.Sign(value())
	require.NoError(f, err)
	f.Add(signed)
	f.Add("v1.e30.AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := key.Verify(s)
		if err != nil {
			return
		}
		again, err := key.Sign(v)
		require.NoError(t, err)
		got, err := key.Verify(again)
		require.NoError(t, err)
		require.Equal(t, v, got)
	})
}
