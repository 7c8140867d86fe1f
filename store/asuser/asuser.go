// Package asuser lets tests that run as root start programs as an unprivileged user. Tests of file permissions need
// such a user, because permissions do not restrict root.
package asuser

// Nobody is the id of an unprivileged user and group.
const Nobody = 65534
