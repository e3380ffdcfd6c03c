#pragma once
#include <stdint.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

/* Creates a public key from the parameters of a builder, which the caller frees; NULL on failure.

   A builder stores the pointers to its values until the parameters are created. It is used in C,
   because the pointers that Swift passes to a C function are only valid during the call. */
static inline EVP_PKEY *_Nullable reactord_public_key(
    const char *_Nonnull type, OSSL_PARAM_BLD *_Nonnull builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  return key;
}

/* Creates a key on a named curve from an uncompressed point, which is checked; NULL on failure. */
static inline EVP_PKEY *_Nullable reactord_ec_key(
    const char *_Nonnull curve, const unsigned char *_Nonnull point, size_t length) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0)
      && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, length))
    key = reactord_public_key("EC", builder);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/* Creates an RSA key from its modulus and exponent in big-endian order; NULL on failure. */
static inline EVP_PKEY *_Nullable reactord_rsa_key(
    const unsigned char *_Nonnull modulus, int modulus_length,
    const unsigned char *_Nonnull exponent, int exponent_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL);
  BIGNUM *e = BN_bin2bn(exponent, exponent_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e))
    key = reactord_public_key("RSA", builder);
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return key;
}

/* Reads the public key of a PEM block, or of a certificate in PEM; NULL on failure.

   The input is freed before the caller's bytes are. */
static inline EVP_PKEY *_Nullable reactord_pem_key(
    const unsigned char *_Nonnull pem, int length, int is_certificate) {
  EVP_PKEY *key = NULL;
  BIO *input = BIO_new_mem_buf(pem, length);
  if (input && is_certificate) {
    X509 *certificate = PEM_read_bio_X509(input, NULL, NULL, NULL);
    if (certificate) key = X509_get_pubkey(certificate);
    X509_free(certificate);
  } else if (input) {
    key = PEM_read_bio_PUBKEY(input, NULL, NULL, NULL);
  }
  BIO_free(input);
  return key;
}

/* Reads the public key of a certificate in DER without further bytes; NULL on failure. */
static inline EVP_PKEY *_Nullable reactord_certificate_key(
    const unsigned char *_Nonnull der, long length) {
  const unsigned char *end = der;
  X509 *certificate = d2i_X509(NULL, &end, length);
  EVP_PKEY *key = certificate && end == der + length ? X509_get_pubkey(certificate) : NULL;
  X509_free(certificate);
  return key;
}

/* Returns 1 if the modulus of an RSA key is odd, and the exponent is odd, at least 3 and at most 32 bits
   long: with the exponent 1 each signature is the message. */
static inline int reactord_rsa_is_safe(const EVP_PKEY *_Nonnull key) {
  BIGNUM *n = NULL, *e = NULL;
  int result = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n)
      && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e) && BN_is_odd(n) && BN_is_odd(e)
      && !BN_is_one(e) && BN_num_bits(e) <= 32;
  BN_free(n);
  BN_free(e);
  return result;
}

/* A SHA-256 digest. */
typedef struct {
  uint64_t words[4];
} reactord_digest;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
/* Hashes bytes without an allocation. The functions that replace the deprecated ones look up an
   algorithm and create a context for each digest, which takes as long as hashing a token. */
static inline reactord_digest reactord_sha256(const unsigned char *_Nullable bytes, size_t count) {
  reactord_digest digest;
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes, count);
  SHA256_Final((unsigned char *)digest.words, &context);
  return digest;
}
#pragma clang diagnostic pop

/* OPENSSL_free is a macro, which Swift does not import. */
static inline void reactord_openssl_free(void *_Nullable memory) { OPENSSL_free(memory); }
