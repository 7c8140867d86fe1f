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

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v3"

	"samepage/actions/param"
)

// secrets is the category of flags whose values are never printed.
const secrets = "Secrets, better given as variables or in the configuration file"

// configFlag names the configuration file. Every command with dataFlag has it too.
func configFlag() *cli.StringFlag {
	return &cli.StringFlag{
		Name:      "config",
		Usage:     "a `FILE` in TOML with a line for each setting, such as listen = \"127.0.0.1:8080\"; flags and variables come first",
		TakesFile: true,
		Sources:   cli.EnvVars("SAMEPAGE_CONFIG"),
	}
}

// configFile is the configuration file of one command line. Its keys are the names of the flags of
// serve, and it sets the flags of these names of every command.
type configFile struct {
	known  map[string]cli.Flag
	path   string
	values map[string]string // as flags take them
	loose  bool              // every user of the machine can read the file
	err    error
}

// origin tells where the value of one flag of one command comes from. It is a [cli.ValueSource] in
// the place of another one, and notes whether that was used.
type origin struct {
	cli.ValueSource
	name string // as config prints it; empty for the file
	used bool
}

// Lookup implements [cli.ValueSource].
func (o *origin) Lookup() (value string, ok bool) {
	value, o.used = o.ValueSource.Lookup()
	return value, o.used
}

// IsFromEnv implements [cli.EnvValueSource], by which the help names the variable.
func (o *origin) IsFromEnv() bool { return o.name != "" }

// Key implements [cli.EnvValueSource].
func (o *origin) Key() string { return o.name }

// key is the source of one key of the file.
type key struct {
	file *configFile
	path *cli.StringFlag // the command's own --config
	name string
}

// Lookup implements [cli.ValueSource]. Errors of the file are those of [configFile.check].
func (k key) Lookup() (string, bool) {
	k.file.read(k.named())
	value, ok := k.file.values[k.name]
	return value, ok
}

// named returns the path of the file by the command line or the variable; empty for none.
func (k key) named() string {
	if path, _ := k.path.Get().(string); path != "" {
		return path
	}
	return os.Getenv("SAMEPAGE_CONFIG")
}

// String implements [cli.ValueSource].
func (k key) String() string { return fmt.Sprintf("%s in the file %s", k.name, k.file.path) }

// GoString implements [cli.ValueSource].
func (k key) GoString() string { return k.String() }

// configurable lets the file set the flags of a command that it knows, after the variables.
func (f *configFile) configurable(cmd *cli.Command) {
	file := configFlag()
	for _, flag := range cmd.Flags {
		chain := sourcesOf(flag)
		for i, s := range chain.Chain {
			if env, ok := s.(cli.EnvValueSource); ok {
				chain.Chain[i] = &origin{ValueSource: s, name: env.Key()}
			}
		}
		if name := flag.Names()[0]; f.known[name] != nil {
			chain.Chain = append(chain.Chain, &origin{ValueSource: key{f, file, name}})
		}
	}
	cmd.Flags = append(cmd.Flags, file)
	cmd.Before = func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
		return ctx, f.check(cmd)
	}
}

// sourcesOf returns the sources of a flag, which every type of flag has in a field of this name.
func sourcesOf(f cli.Flag) *cli.ValueSourceChain {
	return reflect.ValueOf(f).Elem().FieldByName("Sources").Addr().Interface().(*cli.ValueSourceChain)
}

// check returns the error of the command's file, and warns of secrets that others can read.
func (f *configFile) check(cmd *cli.Command) error {
	f.read(cmd.String("config"))
	if f.err != nil {
		return cli.Exit(f.err.Error(), exitUsage)
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

func isSecret(f cli.Flag) bool {
	c, ok := f.(cli.CategorizableFlag)
	return ok && c.GetCategory() == secrets
}

// read reads the file, once.
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

// value returns a value of the file as the flag takes it on the command line.
func (f *configFile) value(name string, v any) (string, error) {
	flag, ok := f.known[name]
	if !ok {
		near := slices.MinFunc(slices.Sorted(maps.Keys(f.known)), func(a, b string) int {
			return param.Distance(name, a) - param.Distance(name, b)
		})
		return "", fmt.Errorf("there is no setting %q; the nearest is %q", name, near)
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

// setting is the effective value of one flag.
type setting struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	From  string `json:"from"`
	// Hidden says that the value is a secret, which is not shown whole.
	Hidden bool `json:"hidden,omitempty"`
}

// settings returns the effective values of the flags of a command, with secrets hidden.
func (f *configFile) settings(cmd *cli.Command) (list []setting) {
	for _, flag := range cmd.Flags {
		name := flag.Names()[0]
		if f.known[name] == nil {
			continue
		}
		s := setting{Name: name, Value: flag.Get(), From: "default"}
		if cmd.IsSet(name) {
			s.From = "flag"
		}
		for _, source := range sourcesOf(flag).Chain {
			if o, ok := source.(*origin); ok && o.used {
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

// hidden is a secret as it may be shown: of an address all but the password and the query.
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

// printSettings prints settings as a configuration file. Hidden secrets are comments.
func printSettings(out io.Writer, list []setting) error {
	for _, s := range list {
		value, err := json.Marshal(s.Value) // which is TOML for a text, a flag, a number and a list of texts
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
