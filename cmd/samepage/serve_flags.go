package main

import (
	"slices"

	"github.com/urfave/cli/v3"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:   "serve",
		Usage:  "serve the workspace",
		Flags:  serveFlags(),
		Action: serve,
	}
}

// serveFlags returns the flags of serve, each of which can be set in the configuration file.
func serveFlags() []cli.Flag {
	return slices.Concat(reachFlags(), tlsFlags(), logFlags(), metricsFlags(), scheduleFlags(), retentionFlags(),
		runnerFlags("runner-"), []cli.Flag{
			dataFlag(),
			listenFlag(),
			textFlag("openid-issuer", "the `URL` of an OpenID provider that may sign people in, too"),
			textFlag("openid-client-id",
				"what the provider calls us; its redirect URI is the origin with /login/openid/return"),
			secretFlag("openid-client-secret", "what the provider knows us by"),
			textFlag("openid-name", "what people call the provider; its host if not given"),
			presetFlag("name", "what the installation is called", "Samepage"),
			smtpFlag(), mailFromFlag(),
			presetFlag("new-organizations",
				"who makes organizations: `WHO` is owners (of another one here) or operator (at "+
					"the command line only)", "owners"),
			switchFlag("demo",
				"fill an empty folder with a lively demo workspace first, and let scripted agents work in it", false),
			switchFlag("demo-passwords-are-public",
				"serve --demo to other machines, though anybody can sign in with its passwords", false),
		})
}

func listenFlag() *cli.StringFlag {
	return presetFlag("listen",
		"the `ADDRESS` to listen on; one that other machines reach needs --origin", "127.0.0.1:8080")
}

func reachFlags() []cli.Flag {
	return []cli.Flag{
		textFlag("origin", "how people reach it, such as https://team.example.org; needed off this machine"),
		listFlag("trusted-proxies",
			"the `ADDRESSES` of proxies in front, such as 127.0.0.1 or 10.0.0.0/8, whose "+
				"X-Forwarded-For is believed"),
		switchFlag("limits", "limit how often one may ask; --limits=false is for measuring", true),
		switchFlag("client-metadata",
			"let OAuth clients be known by the document at the address that is their id, which "+
				"is fetched from the internet", false),
		switchFlag("webhooks", "send events to the webhooks of organizations, and notifications to those of people",
			true),
		textFlag("runner",
			"the `PATH` of the page of a runner that works in this server, such as /orgs/team/runners/…"),
		secretFlag("runner-token", "the token of that runner"),
		listFlag("outgoing-allow",
			"`ADDRESSES` that may be fetched from and sent to beside port 443 of the public internet, such as 10.0.0.0/8"),
	}
}
