// The addresses of virtual machines' sockets, which the wheel's headers leave out. Facts: man 4 vsock on macOS.
#ifndef DUET_SYS_VSOCK_H
#define DUET_SYS_VSOCK_H

#include <sys/ioctl.h>
#include <sys/socket.h>

#define VMADDR_CID_ANY ((unsigned int)-1)
#define VMADDR_CID_HYPERVISOR 0
#define VMADDR_CID_RESERVED 1
#define VMADDR_CID_HOST 2
#define VMADDR_PORT_ANY ((unsigned int)-1)

struct sockaddr_vm {
    __uint8_t svm_len;
    sa_family_t svm_family;
    __uint16_t svm_reserved1;
    __uint32_t svm_port;
    __uint32_t svm_cid;
};

#define IOCTL_VM_SOCKETS_GET_LOCAL_CID _IOR('s', 192, unsigned int)

#endif
