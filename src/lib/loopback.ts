/** Whether a host is this machine itself: what goes there in the clear is seen by nobody on the way. */

const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/;

/** `hostname` as URL gives it: lower case, IPv4 in dotted form, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || LOOPBACK_V4.test(hostname);
}
