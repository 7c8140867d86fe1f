// Package asuser lets tests that run as root start programs as a user without privileges. File permissions do
// not restrict root, so tests of permissions need such a user.
package asuser

// Nobody is the id of a user and a group without privileges.
const Nobody = 65534
