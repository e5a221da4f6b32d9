#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stddef.h>

// Nothing links libcrypto: a program opens it when it first needs it (docs/decisions/0037-late-libcrypto.md). So its
// functions come as pointers. The headers give each its type.
#define COFFER_OPENSSL_FUNCTIONS(F) \
    F(ASN1_STRING_get0_data) F(ASN1_STRING_length) F(BIO_ctrl) F(BIO_free) F(BIO_new) F(BIO_new_mem_buf) \
    F(BIO_s_secmem) F(BN_bin2bn) F(BN_bn2bin) F(BN_bn2binpad) F(BN_clear_free) F(BN_cmp) F(BN_free) F(BN_is_zero) \
    F(BN_num_bits) F(BN_secure_new) F(BN_set_flags) F(CRYPTO_malloc) F(CRYPTO_memcmp) F(CRYPTO_secure_allocated) \
    F(CRYPTO_secure_clear_free) F(CRYPTO_secure_malloc) F(CRYPTO_secure_malloc_done) F(CRYPTO_secure_malloc_init) \
    F(CRYPTO_secure_malloc_initialized) F(CRYPTO_secure_used) F(ECDSA_SIG_free) F(ECDSA_SIG_get0_r) \
    F(ECDSA_SIG_get0_s) F(ECDSA_SIG_new) F(ECDSA_SIG_set0) F(EC_GROUP_free) F(EC_GROUP_get0_order) \
    F(EC_GROUP_new_by_curve_name) F(EC_POINT_clear_free) F(EC_POINT_mul) F(EC_POINT_new) F(EC_POINT_point2oct) \
    F(ERR_clear_error) F(ERR_get_error) F(ERR_peek_last_error) F(EVP_CIPHER_CTX_ctrl) F(EVP_CIPHER_CTX_free) \
    F(EVP_CIPHER_CTX_new) F(EVP_CIPHER_fetch) F(EVP_CipherFinal_ex) F(EVP_CipherInit_ex2) F(EVP_CipherUpdate) \
    F(EVP_DecryptFinal_ex) F(EVP_DecryptInit_ex2) F(EVP_DecryptUpdate) F(EVP_Digest) F(EVP_DigestSign) \
    F(EVP_DigestSignInit_ex) F(EVP_DigestVerify) F(EVP_DigestVerifyInit_ex) F(EVP_EncryptFinal_ex) \
    F(EVP_EncryptInit_ex2) F(EVP_EncryptUpdate) F(EVP_KDF_CTX_free) F(EVP_KDF_CTX_new) F(EVP_KDF_derive) \
    F(EVP_KDF_fetch) F(EVP_KDF_free) F(EVP_MAC_CTX_free) F(EVP_MAC_CTX_new) F(EVP_MAC_fetch) F(EVP_MAC_final) \
    F(EVP_MAC_free) F(EVP_MAC_init) F(EVP_MAC_update) F(EVP_MD_CTX_free) F(EVP_MD_CTX_new) F(EVP_MD_fetch) \
    F(EVP_PBE_scrypt) F(EVP_PKEY_CTX_free) F(EVP_PKEY_CTX_new_from_name) F(EVP_PKEY_CTX_new_from_pkey) \
    F(EVP_PKEY_CTX_set_dh_pad) F(EVP_PKEY_CTX_set_group_name) F(EVP_PKEY_derive) F(EVP_PKEY_derive_init) \
    F(EVP_PKEY_derive_set_peer) F(EVP_PKEY_free) F(EVP_PKEY_fromdata) F(EVP_PKEY_fromdata_init) F(EVP_PKEY_generate) \
    F(EVP_PKEY_get_bn_param) F(EVP_PKEY_get_octet_string_param) F(EVP_PKEY_get_raw_public_key) \
    F(EVP_PKEY_get_utf8_string_param) F(EVP_PKEY_is_a) F(EVP_PKEY_keygen) F(EVP_PKEY_keygen_init) \
    F(EVP_PKEY_new_raw_private_key_ex) F(EVP_PKEY_new_raw_public_key_ex) F(EVP_PKEY_public_check) F(EVP_PKEY_sign) \
    F(EVP_PKEY_sign_init) F(EVP_aes_128_cbc) F(EVP_aes_128_cfb128) F(EVP_aes_256_gcm) F(EVP_chacha20_poly1305) \
    F(EVP_sha256) F(OPENSSL_cleanse) F(OPENSSL_sk_new_null) F(OPENSSL_sk_pop_free) F(OSSL_PARAM_BLD_free) \
    F(OSSL_PARAM_BLD_new) F(OSSL_PARAM_BLD_push_BN) F(OSSL_PARAM_BLD_to_param) F(OSSL_PARAM_construct_BN) \
    F(OSSL_PARAM_construct_end) F(OSSL_PARAM_construct_octet_string) F(OSSL_PARAM_construct_utf8_string) \
    F(OSSL_PARAM_free) F(PEM_read_bio_PrivateKey_ex) F(PEM_write_bio_PKCS8PrivateKey) F(RAND_bytes_ex) \
    F(RAND_priv_bytes_ex) F(X509_EXTENSION_get_data) F(X509_STORE_CTX_free) F(X509_STORE_CTX_init) \
    F(X509_STORE_CTX_new) F(X509_STORE_CTX_set_flags) F(X509_STORE_CTX_verify) F(X509_STORE_add_cert) \
    F(X509_STORE_free) F(X509_STORE_new) F(X509_add_cert) F(X509_free) F(X509_get0_pubkey) F(X509_get_ext) \
    F(X509_get_ext_by_NID) F(d2i_ECDSA_SIG) F(d2i_X509) F(i2d_ECDSA_SIG)

typedef struct {
#define COFFER_FIELD(name) __typeof__(name) *name;
    COFFER_OPENSSL_FUNCTIONS(COFFER_FIELD)
#undef COFFER_FIELD
} coffer_openssl;

// The name of a field of coffer_openssl, in their order. NULL behind the last.
static inline const char *coffer_openssl_name(size_t index) {
#define COFFER_NAME(name) #name,
    static const char *const names[] = {COFFER_OPENSSL_FUNCTIONS(COFFER_NAME)};
#undef COFFER_NAME
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}
