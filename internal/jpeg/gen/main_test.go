package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated: the files in the repository are what the program writes.
func TestGenerated(t *testing.T) {
	for _, target := range targets {
		got, err := os.ReadFile("../" + target.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, generate(target)) {
			t.Errorf("%s has drifted from its generator: go generate ./internal/jpeg", target.file)
		}
	}
}
