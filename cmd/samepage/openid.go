package main

import (
	"net/url"

	"github.com/urfave/cli/v3"

	"samepage/web/account"
)

// openIDProvider returns nil if the flags configure no provider.
func openIDProvider(cmd *cli.Command) (*account.OpenID, error) {
	o := &account.OpenID{
		Issuer:   cmd.String("openid-issuer"),
		ClientID: cmd.String("openid-client-id"),
		Secret:   cmd.String("openid-client-secret"),
		Name:     cmd.String("openid-name"),
	}
	if o.Issuer == "" {
		return nil, nil
	}
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" &&
		u.Hostname() == "localhost") && !(u.Scheme == "http" && u.Hostname() == "127.0.0.1") {
		return nil, cli.Exit("--openid-issuer: give the provider's URL as it names itself, such as "+
			"https://id.example.org", exitUsage)
	}
	if o.ClientID == "" {
		return nil, cli.Exit("--openid-issuer needs --openid-client-id: what the provider calls us", exitUsage)
	}
	return o, nil
}
