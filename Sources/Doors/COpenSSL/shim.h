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
#include <openssl/ssl.h>
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

/* Returns 1 if a modulus is a power of 65537 modulo each of the primes, as the moduli of a faulty
   generator are (ROCA, CVE-2017-15361), whose keys can be factored. The list is that of the discoverers
   (Nemec et al., The Return of Coppersmith's Attack, 2017). */
static inline int reactord_modulus_is_roca(const BIGNUM *_Nonnull n) {
  static const unsigned char primes[] = {
      3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47,  53,  59,  61,  67,  71,
      73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167};
  for (size_t i = 0; i < sizeof primes; i++) {
    const BN_ULONG remainder = BN_mod_word(n, primes[i]);
    BN_ULONG power = 1;
    do power = power * 65537 % primes[i];
    while (power != 1 && power != remainder);
    if (power != remainder) return 0;
  }
  return 1;
}

/* Returns 1 if the modulus of an RSA key is odd and of no faulty generator, and the exponent is odd, at
   least 3 and at most 32 bits long: with the exponent 1 each signature is the message. */
static inline int reactord_rsa_is_safe(const EVP_PKEY *_Nonnull key) {
  BIGNUM *n = NULL, *e = NULL;
  int result = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n)
      && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e) && BN_is_odd(n) && BN_is_odd(e)
      && !BN_is_one(e) && BN_num_bits(e) <= 32 && !reactord_modulus_is_roca(n);
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

/* The number of bytes of a preshared key. */
#define reactord_key_size 32

/* Creates a session of TLS 1.3 from the preshared key of a context; NULL on failure. */
static inline SSL_SESSION *_Nullable reactord_preshared_session(SSL *_Nonnull tls) {
  static const unsigned char suite[] = {0x13, 0x01}; /* TLS_AES_128_GCM_SHA256, the only one */
  const unsigned char *key = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(tls), 0);
  const SSL_CIPHER *cipher = SSL_CIPHER_find(tls, suite);
  SSL_SESSION *session = SSL_SESSION_new();
  if (session && key && cipher && SSL_SESSION_set1_master_key(session, key, reactord_key_size)
      && SSL_SESSION_set_cipher(session, cipher)
      && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
    return session;
  SSL_SESSION_free(session);
  return NULL;
}

static const char reactord_preshared_name[] = "reactord";

static inline int reactord_use_session(
    SSL *_Nonnull tls, const EVP_MD *_Nullable hash,
    const unsigned char *_Nullable *_Nonnull name, size_t *_Nonnull size,
    SSL_SESSION *_Nullable *_Nonnull session) {
  (void)hash; /* that of the only suite */
  *session = reactord_preshared_session(tls);
  *name = (const unsigned char *)reactord_preshared_name;
  *size = sizeof reactord_preshared_name - 1;
  return *session != NULL;
}

static inline int reactord_find_session(
    SSL *_Nonnull tls, const unsigned char *_Nonnull name, size_t size,
    SSL_SESSION *_Nullable *_Nonnull session) {
  /* Without a session the handshake fails, because the server has no certificate. */
  int is_known = size == sizeof reactord_preshared_name - 1
      && CRYPTO_memcmp(name, reactord_preshared_name, size) == 0;
  *session = is_known ? reactord_preshared_session(tls) : NULL;
  return !is_known || *session != NULL;
}

/* Creates a context for connections that both sides authenticate with a key of 32 bytes, which must
   outlive the context; NULL on failure.

   TLS 1.3 only, with ephemeral keys, without tickets, early data and certificates. */
static inline SSL_CTX *_Nullable reactord_preshared_context(unsigned char *_Nonnull key) {
  SSL_CTX *context = SSL_CTX_new(TLS_method());
  if (context && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
      && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
      && SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
      && SSL_CTX_set_num_tickets(context, 0) && SSL_CTX_set_ex_data(context, 0, key)) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_psk_use_session_callback(context, reactord_use_session);
    SSL_CTX_set_psk_find_session_callback(context, reactord_find_session);
    return context;
  }
  SSL_CTX_free(context);
  return NULL;
}
