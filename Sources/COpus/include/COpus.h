#ifndef COPUS_H
#define COPUS_H

#if defined(__linux__)
#include <opus/opus.h>
#endif

#endif
