/** The token that a sandbox takes unless told otherwise: it guards nothing. */
export const DEFAULT_TOKEN = 'sandbox-token';
/** The sandbox's names for what a token may do; the document names only two of the service's (section 5). */
export const PERMISSIONS = [
    'subclient.create',
    'subclient.modify',
    'counterparty.draft',
    'payment.documents',
];
/** The default of `keyPointers`. */
export const DEFAULT_KEY_POINTERS = {
    subclient: ['/additionalInformation/crmId', '/details/name'],
    draft: ['/alias', '/name'],
};
//# sourceMappingURL=options.js.map