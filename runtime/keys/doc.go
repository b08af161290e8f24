// Package keys fetches public keys by their address: JSON Web Key Sets and
// certificates, for receivers whose sender publishes them.
//
// What is fetched is held for a while, and fetched anew in the background
// before that ends. Each address has one fetch at a time, which all requests
// share, with a time limit of its own. After a failure there is a pause, and a
// signature that fits none of the keys (a key that is newer than those held, or
// a forgery) has them fetched again at most once a minute: nobody can make a
// receiver call the outside as often as he likes.
//
// What vouches for a key is TLS to a host that the contract names. Addresses
// that a request names are taken from allowed hosts only, and never lead to
// private ones; redirects are not followed.
package keys
