// The digests of libcrypto by its oldest functions. Newer ones choose an implementation by name at run time: with
// them, a static link takes half of the library, and the first digest reads its configuration.
#pragma once

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>
