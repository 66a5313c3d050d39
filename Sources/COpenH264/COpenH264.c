#include "COpenH264.h"
