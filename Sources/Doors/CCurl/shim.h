#pragma once
#include <curl/curl.h>
#include <sys/socket.h>

/* The functions of libcurl with a variable number of arguments, which Swift does not import, one per
   type of their argument. */

static inline CURLcode reactord_curl_set_number(
    CURL *_Nonnull easy, CURLoption option, long number) {
  return curl_easy_setopt(easy, option, number);
}

/* libcurl copies the text. */
static inline CURLcode reactord_curl_set_text(
    CURL *_Nonnull easy, CURLoption option, const char *_Nonnull text) {
  return curl_easy_setopt(easy, option, text);
}

/* Opens a socket that processes started by this one do not inherit: the connection would stay open in
   them. */
static inline curl_socket_t reactord_curl_open_socket(
    void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *_Nonnull address) {
  (void)context;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Sets the options that all transfers have. Some have other names in libcurl 7.81, which Ubuntu 22.04 has. */
static inline void reactord_curl_set_defaults(CURL *_Nonnull easy) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, reactord_curl_open_socket);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  /* The end of a transfer must not wait for its thread that resolves a name. */
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* The fields must be valid until the end of the transfer. */
static inline CURLcode reactord_curl_set_fields(
    CURL *_Nonnull easy, struct curl_slist *_Nullable fields) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

/* libcurl copies the body. */
static inline CURLcode reactord_curl_set_body(
    CURL *_Nonnull easy, const void *_Nullable bytes, curl_off_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}

/* `errors` has CURL_ERROR_SIZE bytes. All pointers must be valid until the end of the transfer. */
static inline void reactord_curl_set_receiver(
    CURL *_Nonnull easy, curl_prereq_callback _Nonnull begin, curl_write_callback _Nonnull head,
    curl_write_callback _Nonnull body, void *_Nonnull context, char *_Nonnull errors) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, errors);
}

/* The number of bytes of the body that were sent. */
static inline curl_off_t reactord_curl_sent(CURL *_Nonnull easy) {
  curl_off_t count = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &count);
  return count;
}

static inline CURLMcode reactord_curl_multi_set_number(
    CURLM *_Nonnull multi, CURLMoption option, long number) {
  return curl_multi_setopt(multi, option, number);
}

/* Removes the next transfer that has ended: returns its handle, or NULL if there is none. */
static inline CURL *_Nullable reactord_curl_next_ended(
    CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
  int rest = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &rest)))
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  return NULL;
}
