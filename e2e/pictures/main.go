// Command pictures makes the pictures of the README from a demo workspace that it starts. It needs Chromium, at the
// path in SAMEPAGE_CHROME or at /usr/bin/chromium.
//
//	go run -tags sqlite_fts5 ./e2e/pictures
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// shots lists the pictures. The field link is the text of the link on the start page that leads to the page, or "" for
// the start page itself.
var shots = []struct{ link, file string }{
	{"", "home.png"},
	{"Should we adopt weekly stand-ups?", "decision.png"},
}

const (
	email    = "bob@meadow.example"
	password = "samepage-demo"
	folder   = ".github"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run() error {
	data, err := os.MkdirTemp("", "samepage-pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	program := filepath.Join(data, "samepage")
	if out, err := exec.Command("go", "build", "-tags=sqlite_fts5", "-o", program, "./cmd/samepage").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	origin, stop, err := demo(ctx, program, filepath.Join(data, "demo"))
	if err != nil {
		return err
	}
	return errors.Join(take(ctx, origin), stop())
}

// demo starts the demo workspace on a free port.
func demo(ctx context.Context, program, data string) (origin string, stop func() error, err error) {
	c := exec.CommandContext(ctx, program, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		err := c.Process.Signal(os.Interrupt)
		c.Wait() // the exit code of an interrupted program says nothing
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), "Samepage serves "); ok {
			origin, _, _ = strings.Cut(rest, " ")
			return origin, stop, nil
		}
	}
	return "", nil, errors.Join(errors.New("the demo did not start"), stop())
}

// take signs in and saves the pictures, in a window of 1280 by 900 pixels.
func take(ctx context.Context, origin string) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(cmp.Or(os.Getenv("SAMEPAGE_CHROME"), "/usr/bin/chromium")), chromedp.Flag("no-sandbox", true))
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	tab, closeTab := chromedp.NewContext(allocator)
	defer closeTab()
	label := func(name string) chromedp.Action[chromedp.Void] {
		return chromedp.Click(chromedp.Search(`//label[normalize-space()="` + name + `"]`))
	}
	light := func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		// Without reduced motion, a picture could show the transition between two pages.
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"},
				{Name: "prefers-reduced-motion", Value: "reduce"}}})
		return v, err
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 900), light, chromedp.Navigate(origin+"/login"),
		label("Email"), chromedp.KeyEvent(email), label("Password"), chromedp.KeyEvent(password)); err != nil {
		return err
	}
	if _, err := chromedp.RunResponse(tab, chromedp.Click(chromedp.Search(`//button[normalize-space()="Sign in"]`))); err != nil {
		return err
	}
	for _, s := range shots {
		if err := chromedp.Do(tab, chromedp.Navigate(origin+"/")); err != nil {
			return err
		}
		if s.link != "" {
			link := chromedp.Click(chromedp.Search(`//main//a[normalize-space()="` + s.link + `"]`))
			if _, err := chromedp.RunResponse(tab, link); err != nil {
				return fmt.Errorf("%s: %w", s.file, err)
			}
		}
		if err := save(tab, filepath.Join(folder, s.file)); err != nil {
			return err
		}
	}
	return nil
}

func save(tab context.Context, file string) error {
	return chromedp.Do(tab, func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		got, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err == nil {
			err = os.WriteFile(file, got.Data, 0o644)
		}
		return v, err
	})
}
