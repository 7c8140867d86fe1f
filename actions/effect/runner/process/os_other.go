//go:build !linux

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

var errOnlyLinux = errors.New("programs of agents run on Linux only")

type entry struct{ pid, group int }

func ownGroup() *syscall.SysProcAttr          { return nil }
func startPrivately(*exec.Cmd) error          { return errOnlyLinux }
func awaitEnd(int)                            {}
func signalOf(*os.ProcessState) string        { return "" }
func endGroup(int, string, time.Duration) int { return 0 }
func processes() []entry                      { return nil }
func startOf(int) (uint64, error)             { return 0, errOnlyLinux }
func hasKey(int, string) bool                 { return false }
func bootID() string                          { return "" }
