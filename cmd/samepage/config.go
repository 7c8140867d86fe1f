package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v3"

	"samepage/actions/param"
)

// secrets is the category of flags whose values are never printed in full.
const secrets = "Secrets, better given as variables or in the configuration file"

func configFlag() *cli.StringFlag {
	return fileFlag("config",
		"a `FILE` in TOML with a line for each setting, such as listen = \"127.0.0.1:8080\"; flags and variables come first")
}

// configFile is the configuration file of a command. Its keys are names of flags of serve. Other commands ignore the
// keys that they have no flag for.
type configFile struct {
	known  map[string]cli.Flag
	path   string
	values map[string]string // values by the name of the flag, as written on the command line
	loose  bool              // whether all users of the machine can read the file
	err    error
}

// recordedSource is a [cli.ValueSource] that records whether the wrapped source gave the flag its value.
type recordedSource struct {
	cli.ValueSource
	name string // name of the environment variable; empty if the source is the file
	used bool
}

func (o *recordedSource) Lookup() (value string, ok bool) {
	value, o.used = o.ValueSource.Lookup()
	return value, o.used
}

func (o *recordedSource) IsFromEnv() bool { return o.name != "" }

func (o *recordedSource) Key() string { return o.name }

// key is a [cli.ValueSource] that reads one key of the configuration file.
type key struct {
	file *configFile
	path *cli.StringFlag // --config flag of the command
	name string
}

// Lookup returns the value of the key in the file. [configFile.check] reports errors of the file.
func (k key) Lookup() (string, bool) {
	k.file.read(k.named())
	value, ok := k.file.values[k.name]
	return value, ok
}

func (k key) named() string {
	if path, _ := k.path.Get().(string); path != "" {
		return path
	}
	return os.Getenv("SAMEPAGE_CONFIG")
}

func (k key) String() string { return fmt.Sprintf("%s in the file %s", k.name, k.file.path) }

func (k key) GoString() string { return k.String() }

// configurable gives the command the flag --config, and makes the configuration file the last source of each flag that
// the file may set.
func (f *configFile) configurable(cmd *cli.Command) {
	file := configFlag()
	for _, flag := range cmd.Flags {
		chain := sourcesOf(flag)
		for i, s := range chain.Chain {
			if env, ok := s.(cli.EnvValueSource); ok {
				chain.Chain[i] = &recordedSource{ValueSource: s, name: env.Key()}
			}
		}
		if name := flag.Names()[0]; f.known[name] != nil {
			chain.Chain = append(chain.Chain, &recordedSource{ValueSource: key{f, file, name}})
		}
	}
	cmd.Flags = append(cmd.Flags, file)
	cmd.Before = func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
		return ctx, f.check(cmd)
	}
}

// sourcesOf returns the field Sources, which each flag type of package cli has.
func sourcesOf(f cli.Flag) *cli.ValueSourceChain {
	return reflect.ValueOf(f).Elem().FieldByName("Sources").Addr().Interface().(*cli.ValueSourceChain)
}

// check returns the error of reading the configuration file. It prints warnings about a file with secrets that other
// users can read, and about environment variables with misspelt names.
func (f *configFile) check(cmd *cli.Command) error {
	f.read(cmd.String("config"))
	if f.err != nil {
		return cli.Exit(f.err.Error(), exitUsage)
	}
	for _, line := range misspelt(os.Environ(), variables(cmd.Root())) {
		fmt.Fprintln(cmd.Root().ErrWriter, "samepage: "+line)
	}
	var open []string
	for name := range f.values {
		if f.loose && isSecret(f.known[name]) {
			open = append(open, name)
		}
	}
	if slices.Sort(open); len(open) > 0 {
		fmt.Fprintf(cmd.Root().ErrWriter, "samepage: everybody on this machine can read %s, which has secrets (%s): chmod o-rwx it.\n",
			f.path, strings.Join(open, ", "))
	}
	return nil
}

func variables(cmd *cli.Command) (list []string) {
	for _, flag := range cmd.Flags {
		if doc, ok := flag.(cli.DocGenerationFlag); ok {
			list = append(list, doc.GetEnvVars()...)
		}
	}
	for _, c := range cmd.Commands {
		list = append(list, variables(c)...)
	}
	return list
}

// misspelt returns a warning for each environment variable with nearly the name of a flag's variable. A long name may
// differ by two letters, and a short name by one, because another program may use a short name.
func misspelt(environ, known []string) (warnings []string) {
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "SAMEPAGE_") || slices.Contains(known, name) {
			continue
		}
		most := 1
		if len(name) > len("SAMEPAGE_LISTEN") {
			most = 2
		}
		if near := nearest(name, known); param.Distance(name, near) <= most {
			warnings = append(warnings, fmt.Sprintf("there is no variable %s, so it has no effect; the nearest is %s.", name, near))
		}
	}
	return warnings
}

// nearest returns the first of the least different names. The list must not be empty.
func nearest(name string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int { return param.Distance(name, a) - param.Distance(name, b) })
}

func isSecret(f cli.Flag) bool {
	c, ok := f.(cli.CategorizableFlag)
	return ok && c.GetCategory() == secrets
}

func (f *configFile) read(path string) {
	if path == f.path {
		return
	}
	f.path, f.values = path, map[string]string{}
	data, err := os.ReadFile(path)
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		f.err = fmt.Errorf("--config %s: %w", path, err)
		return
	}
	if info, err := os.Stat(path); err == nil {
		f.loose = info.Mode().Perm()&0o007 != 0
	}
	var list map[string]any
	if err := toml.Unmarshal(data, &list); err != nil {
		f.err = fmt.Errorf("--config %s: %w", path, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if f.values[name], err = f.value(name, list[name]); err != nil {
			f.err = errors.Join(f.err, fmt.Errorf("--config %s: %w", path, err))
		}
	}
}

// value converts a value in the file to the form of the command line.
func (f *configFile) value(name string, v any) (string, error) {
	flag, ok := f.known[name]
	if !ok {
		return "", fmt.Errorf("there is no setting %q; the nearest is %q", name, nearest(name, slices.Sorted(maps.Keys(f.known))))
	}
	doc := flag.(cli.DocGenerationFlag)
	multi, _ := flag.(cli.DocGenerationMultiValueFlag)
	wants := "a text in quotation marks"
	switch v := v.(type) {
	case string:
		if doc.TypeName() != "bool" && doc.TypeName() != "int" {
			return v, nil
		}
	case bool, int64:
		if t := fmt.Sprintf("%T", v); strings.HasPrefix(t, doc.TypeName()) {
			return fmt.Sprint(v), nil
		}
	case []any:
		if multi != nil && multi.IsMultiValueFlag() {
			return joinTexts(name, v)
		}
	}
	switch doc.TypeName() {
	case "bool":
		wants = "true or false"
	case "int":
		wants = "a number"
	}
	if multi != nil && multi.IsMultiValueFlag() {
		wants = `texts, as in ["a", "b"]`
	}
	return "", fmt.Errorf("%s takes %s", name, wants)
}

func joinTexts(name string, list []any) (string, error) {
	var texts []string
	for _, v := range list {
		text, ok := v.(string)
		if !ok || strings.Contains(text, ",") {
			return "", fmt.Errorf(`%s takes texts without a comma, as in ["a", "b"]`, name)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ","), nil
}

// setting is the value that a flag has in effect, with its source.
type setting struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	From  string `json:"from"`
	// Hidden means that the value is a secret, of which only a part is shown.
	Hidden bool `json:"hidden,omitempty"`
}

// settings returns the values of a command's flags that serve has too. Secrets are hidden.
func (f *configFile) settings(cmd *cli.Command) (list []setting) {
	for _, flag := range cmd.Flags {
		name := flag.Names()[0]
		if f.known[name] == nil {
			continue
		}
		s := setting{Name: name, Value: flag.Get(), From: "default"}
		if d, ok := s.Value.(time.Duration); ok {
			s.Value = d.String()
		}
		if cmd.IsSet(name) {
			s.From = "flag"
		}
		for _, source := range sourcesOf(flag).Chain {
			if o, ok := source.(*recordedSource); ok && o.used {
				if s.From = o.name; s.From == "" {
					s.From = f.path
				}
			}
		}
		if text, ok := s.Value.(string); ok && text != "" && isSecret(flag) {
			s.Value, s.Hidden = hidden(text), true
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// hidden returns the part of a secret that may be shown: a URL without its password and query, or only "…".
func hidden(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "…"
	}
	shown := u.Scheme + "://"
	if u.User != nil {
		shown += u.User.Username() + ":…@"
	}
	shown += u.Host + u.Path
	if u.RawQuery != "" {
		shown += "?…"
	}
	return shown
}

func (f *configFile) command() *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "print the settings of serve, each with its source; secrets are hidden",
		Description: "A setting is the flag, or else the variable, or else the line in the file of --config, or else the default. " +
			"Give config the flags of serve, and it says\nwhat serve would do with them. The output is a configuration file.",
		Flags: append(serveFlags(), jsonFlag()),
		Action: func(_ context.Context, cmd *cli.Command) error {
			list := f.settings(cmd)
			if cmd.Bool("json") {
				return printJSON(cmd.Root().Writer, list)
			}
			return printSettings(cmd.Root().Writer, list)
		},
	}
}

// printSettings prints settings as a configuration file, in which hidden secrets are comments.
func printSettings(out io.Writer, list []setting) error {
	for _, s := range list {
		value, err := json.Marshal(s.Value) // JSON of strings, Booleans, numbers and lists of strings is valid TOML
		if err != nil {
			return err
		}
		if string(value) == "null" {
			value = []byte("[]")
		}
		line := fmt.Sprintf("%s = %s  # %s\n", s.Name, value, s.From)
		if s.Hidden {
			line = "# " + line
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
	}
	return nil
}
