/** Whether a host is this machine: plain text to it is seen by nobody on the way. */

const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/;

/** `hostname` as URL has it: lower case, dotted IPv4, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || LOOPBACK_V4.test(hostname);
}
