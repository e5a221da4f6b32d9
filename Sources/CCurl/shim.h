#pragma once
#include <curl/curl.h>

// Nothing links libcurl: module LateLoading opens it when a program first needs it. So its functions come as pointers.
// Swift cannot call those with variable arguments, and sees no macro that is a cast.

typedef CURLcode (*coffer_curl_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*coffer_curl_getinfo)(CURL *, CURLINFO, ...);

static inline CURLcode coffer_curl_set_number(void *function, CURL *handle, CURLoption option, long value) {
    return ((coffer_curl_setopt)function)(handle, option, value);
}

static inline CURLcode coffer_curl_set_size(void *function, CURL *handle, CURLoption option, long long value) {
    return ((coffer_curl_setopt)function)(handle, option, (curl_off_t)value);
}

// libcurl copies texts, except for POSTFIELDS.
static inline CURLcode coffer_curl_set_text(void *function, CURL *handle, CURLoption option, const char *value) {
    return ((coffer_curl_setopt)function)(handle, option, value);
}

static inline CURLcode coffer_curl_set_pointer(void *function, CURL *handle, CURLoption option, const void *value) {
    return ((coffer_curl_setopt)function)(handle, option, value);
}

typedef size_t (*coffer_curl_sink)(char *, size_t, size_t, void *);

static inline CURLcode coffer_curl_set_sink(void *function, CURL *handle, CURLoption option, coffer_curl_sink value) {
    return ((coffer_curl_setopt)function)(handle, option, value);
}

static inline CURLcode coffer_curl_get_number(void *function, CURL *handle, CURLINFO info, long *value) {
    return ((coffer_curl_getinfo)function)(handle, info, value);
}

static const long coffer_curl_basic = CURLAUTH_BASIC;
static const long coffer_curl_global = CURL_GLOBAL_DEFAULT;
static const CURLversion coffer_curl_version = CURLVERSION_NOW;
