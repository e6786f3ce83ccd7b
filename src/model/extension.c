// extension.c: what is asked of types that come from outside, of whatever kind.
#include "model/extension.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

static hn_status refuse(char *message, size_t size, const char *what, const char *name,
                        const char *why, const char *word) {
  snprintf(message, size, "%s '%.60s' %s%.60s", what, name, why, word);
  return HN_ERR_ARGUMENT;
}

// words of letters, digits and hyphens
// As our own types are called, so that files read alike.
static bool is_type_name(const char *name) {
  size_t length = name ? strlen(name) : 0;
  return length > 0 && length < 32 && name[0] >= 'a' && name[0] <= 'z' &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

// `at` goes through all types there are, those from outside included: no name twice.
hn_status hn_check_extension(const hn_extension *e, const hn_type_info *info, int version,
                             char *message, size_t size) {
  char word[64];
  const hn_type_info *other;
  if (size) message[0] = 0;
  if (version != HN_EXTEND_VERSION) {
    snprintf(message, size, "the %s was compiled for another version of holon", e->what);
    return HN_ERR_UNSUPPORTED;
  }
  if (!is_type_name(info->name)) {
    snprintf(message, size, "the name of a %s is a word of small letters, digits and hyphens",
             e->what);
    return HN_ERR_ARGUMENT;
  }
  if (!info->help || !info->keys || !info->required)
    return refuse(message, size, e->what, info->name, "needs help, keys and required keys", "");
  for (int i = 0; (other = e->at(i)); i++)
    if (strcmp(other->name, info->name) == 0)
      return refuse(message, size, e->what, info->name, "exists already", "");
  for (int k = 0; hn_word_at(info->keys, k, word, sizeof word); k++)
    if (!e->is_key(word))
      return refuse(message, size, e->what, info->name, "has a key that does not exist: ", word);
  for (int k = 0; hn_word_at(info->required, k, word, sizeof word); k++)
    if (!hn_word_in(word, info->keys))
      return refuse(message, size, e->what, info->name,
                    "requires what is none of its keys: ", word);
  if (e->count < HN_EXTENSIONS) return HN_OK;
  snprintf(message, size, "there is no room for more than %d types from outside", HN_EXTENSIONS);
  return HN_ERR_MEMORY;
}

bool hn_fields_have(const hn_field *fields, const char *key) {
  for (; fields->key; fields++)
    if (strcmp(fields->key, key) == 0) return true;
  return false;
}
