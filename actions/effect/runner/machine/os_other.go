//go:build !linux

package machine

import "errors"

func landlock() (int, error) { return 0, errors.ErrUnsupported }
