// collada.h: surfaces from COLLADA files (.dae).
#ifndef HN_COLLADA_H
#define HN_COLLADA_H

#include "model/trimesh.h"

// what the scene shows, in metres, as hn_trimesh_parse; numbers are read as the locale has them
hn_status hn_collada_read(hn_trimesh_finder *finder, const char *text, size_t length,
                          const char *path, char message[HN_MESSAGE]);

#endif
