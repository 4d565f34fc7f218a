package main

import (
	"testing"

	"github.com/swapgate/swapgate/pkg/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }
