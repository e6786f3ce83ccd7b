// device.h: members of a family on a GPU, a thread each.
//
// NVIDIA's driver (libcuda) and its compiler for text (NVRTC) are loaded when a device is opened:
// the library is built and runs without them.
#ifndef HN_DEVICE_H
#define HN_DEVICE_H

#include "code/members.h"

typedef struct hn_device hn_device;

// the first device that the driver shows. HN_ERR_UNSUPPORTED: there is none, or nothing to reach it
// by, and message says what is missing
hn_status hn_device_open(hn_device **out, char *message, size_t size);
void hn_device_close(hn_device *device);
const char *hn_device_name(const hn_device *device);  // "NVIDIA H200, driver 13.0, NVRTC 13.0"

// code for members, instead of what was there before
hn_status hn_device_load(hn_device *device, const hn_members_text *text, hn_members_numbers numbers,
                         char *message, size_t size);
// how many members with this many rows each fit into the queue of one thread
long hn_device_room(const hn_device *device, long rows);

// Members of one thread: an order of their own and memory for them, so that what several threads
// ask for runs side by side; one alone would leave most of the device idle. Opened after the code
// is loaded, closed before other code is or the device is closed.
typedef struct hn_device_queue hn_device_queue;
hn_status hn_device_queue_open(hn_device_queue **out, hn_device *device, long members, long rows,
                               char *message, size_t size);
void hn_device_queue_close(hn_device_queue *queue);
// as hn_members_fn; rows NULL: none come back
hn_status hn_device_run(hn_device_queue *queue, long count, const double *table,
                        const double *start, double t0, double h, long steps, long every,
                        double *rows, double *end, char *message, size_t size);

// how long the last run took [s]: copies there and back, and the steps themselves
typedef struct hn_device_times {
  double there, steps, back;
} hn_device_times;
hn_device_times hn_device_last(const hn_device_queue *queue);

#endif
