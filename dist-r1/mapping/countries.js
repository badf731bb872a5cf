/**
 * The three-letter code of a country as people write it: a code of two or three letters, or an English name.
 * Nothing is guessed: a name that two countries share, or a territory without an ISO code, has none.
 */
import { createRequire } from 'node:module';
import countries from 'i18n-iso-countries/index.js';
import { z } from 'zod';
// The package's main entry loads some 80 languages, and Node 20 warns of JSON imported as a module.
const englishSchema = z.object({
    locale: z.literal('en'),
    countries: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
});
const ENGLISH = englishSchema.parse(createRequire(import.meta.url)('i18n-iso-countries/langs/en.json'));
/** Only these letters are put into upper case, which can make others of some letters (`ß` becomes `SS`). */
const CODE = /^[A-Za-z]{2,3}$/;
/** Kosovo has no code in ISO 3166-1; XKX and XKK are both in use, so that whoever writes the file has to choose. */
const KOSOVO = 'XK';
const BY_CODE = codes();
const BY_NAME = names();
/** The ISO 3166-1 alpha-3 code of a two- or three-letter code (any case) or an English name, else `undefined`. */
export function countryCode(written) {
    const code = BY_CODE.get(CODE.test(written) ? written.toUpperCase() : written);
    return code ?? BY_NAME.get(written) ?? BY_NAME.get(fold(written));
}
function codes() {
    const byCode = new Map();
    for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes())) {
        if (alpha2 !== KOSOVO)
            byCode.set(alpha2, alpha3).set(alpha3, alpha3);
    }
    return byCode;
}
/** Names as they stand and folded. A name that two countries share ("Congo") is left out: a guess could be wrong. */
function names() {
    const byName = new Map();
    const shared = new Set();
    for (const [alpha2, spellings] of Object.entries(ENGLISH.countries)) {
        const alpha3 = BY_CODE.get(alpha2);
        if (alpha3 === undefined)
            continue;
        for (const name of [spellings].flat().flatMap((spelling) => [spelling, fold(spelling)])) {
            if ((byName.get(name) ?? alpha3) !== alpha3)
                shared.add(name);
            byName.set(name, alpha3);
        }
    }
    for (const name of shared)
        byName.delete(name);
    return byName;
}
/** The name without case, accents and the kind of apostrophe, which don't make another country. */
function fold(name) {
    return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase();
}
//# sourceMappingURL=countries.js.map