/** Dutch names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const DUTCH: Vocabulary = {
  address: {
    buildingName: 'gebouw, gebouwnaam, naam gebouw',
    buildingNumber: 'huisnummer, huisnr, nummer huis',
    country: 'land?country, landcode, land ISO, ISO landcode, landcode ISO',
    countrySubdivision: 'provincie, regio?region',
    district: 'wijk, stadsdeel',
    floor: 'verdieping, etage',
    line: 'adres, adresregel 1, adres 1, straat en huisnummer, straat en nummer, straat huisnummer, bezoekadres, vestigingsadres',
    line2: 'adresregel 2, adres 2, adrestoevoeging',
    postBox: 'postbus, postbusnummer',
    postCode: 'postcode',
    room: 'kamer, ruimte',
    streetName: 'straat, straatnaam',
    town: 'plaats, plaatsnaam, woonplaats, stad, vestigingsplaats, gemeente',
  },
  primary: 'vestiging, vestigingsadres, bezoekadres, hoofdadres, hoofdkantoor, statutair, zetel',
  billing: 'factuur, factuuradres, facturatie, facturatieadres',
  parties: {
    subclient: 'klant, bedrijf, bedrijfs, onderneming, ondernemings',
    counterparty: 'begunstigde, leverancier, leveranciers, crediteur, crediteuren, ontvanger',
  },
  subclient: {
    'details.alias': 'korte naam, afkorting, zoeknaam?name',
    'details.displayName': 'weergavenaam, getoonde naam',
    'details.name': `
      naam?name, bedrijfsnaam, naam bedrijf, naam van het bedrijf, bedrijf, onderneming, naam onderneming, naam van de onderneming, statutaire naam, juridische naam,
      vennootschap, organisatie, organisatienaam, naam organisatie, klantnaam, naam klant, klant?party, relatie?party, relatienaam, firmanaam
    `,
    'details.taxId':
      'RSIN, fiscaal nummer, belastingnummer, fiscaal identificatienummer, RSIN nummer, loonheffingennummer?tax, ondernemingsnummer?tax',
    'details.tradeRegistryId':
      'KvK nummer, KvK nr, KvK, KvKnummer, nummer KvK, Kamer van Koophandel?register, Kamer van Koophandel nummer, handelsregisternummer, KBO nummer, inschrijvingsnummer',
    'details.vatNumber': `
      btw nummer, btw nr, btwnummer, btw?vat, btw id?vat, btw identificatienummer?vat, omzetbelastingnummer
    `,
    'internalInformation.notes':
      'opmerking, opmerkingen, notitie, notities, toelichting, commentaar, aantekeningen',
    'kyc.details.detailedActivityDescription': `
      activiteit, activiteiten, omschrijving activiteiten, bedrijfsactiviteit, bedrijfsactiviteiten, omschrijving van de activiteiten, bedrijfsomschrijving, hoofdactiviteit
    `,
    'kyc.details.hasWebsite': 'heeft website',
    'kyc.details.incorporationDate':
      'oprichtingsdatum, datum oprichting, datum van oprichting, opgericht, opgericht op, inschrijfdatum?registration, datum inschrijving?registration',
    'kyc.details.industry': 'branche, sector, bedrijfstak, industrie',
    'kyc.details.monthlyPaymentsCount': `
      aantal betalingen per maand, betalingen per maand, maandelijkse betalingen, aantal maandelijkse betalingen, transacties per maand, aantal transacties per maand,
      maandelijkse transacties
    `,
    'kyc.details.monthlyVolumeAmount': `
      maandvolume, maandelijks volume, volume per maand, omzet per maand, maandomzet, maandelijkse omzet, maandelijks betaalvolume, betaalvolume per maand,
      volume?volume, omzet?turnover
    `,
    'kyc.details.tradingCountry': 'land van activiteit, land van activiteiten',
    'kyc.details.tradingName': 'handelsnaam, merknaam',
    'kyc.details.website': 'website, webadres, webpagina, internetadres, internet',
    'parent.name':
      'moedermaatschappij, moederbedrijf, naam moedermaatschappij, moeder?parent, concern?parent, holding?parent',
    'regulators.country': 'land toezichthouder, land van toezicht, land van de toezichthouder',
    'regulators.isRegulated': 'gereguleerd, is gereguleerd, onder toezicht, vergunningplichtig',
    'regulators.licenseNumber':
      'vergunningnummer?licence, vergunningsnummer?licence, licentienummer?licence, vergunning?licence',
    'regulators.name': 'toezichthouder, naam toezichthouder, regelgever',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'rekeningnummer, rekeningnr, rekening nr, bankrekeningnummer, rekening?account, bankrekening?account',
    'accounts.0.bank': 'naam bank, naam van de bank, banknaam, bankinstelling',
    'accounts.0.bankCode': 'bankcode',
    'accounts.0.bic_swift': 'BIC code, SWIFT code, BIC SWIFT, SWIFT BIC',
    'accounts.0.country': 'land van de bank, land bank, bankland, land van de rekening',
    'accounts.0.currencies':
      'valuta rekening, valuta van de rekening, rekeningvaluta, valuta?currency, munteenheid?currency, munt?currency, valutacode?currency',
    email: 'e mailadres, emailadres, mailadres, e mail adres',
    firstName: 'voornaam, voornamen, roepnaam',
    lastName: 'achternaam, familienaam',
    name: `
      naam?name, bedrijfsnaam, naam bedrijf, bedrijf, onderneming, begunstigde?beneficiary, naam begunstigde, naam van de begunstigde, leverancier, leveranciersnaam, naam leverancier,
      ontvanger, naam ontvanger, rekeninghouder, naam rekeninghouder, tenaamstelling, crediteur?party, crediteurnaam
    `,
    'parent.name': 'moedermaatschappij, moederbedrijf',
    paymentReason: 'reden van betaling, reden betaling, betalingsreden, doel van de betaling, betalingsdoel',
  },
  subclientKeys: `
    klantnummer, klantnr, klant nr, klantcode, klant id, klantreferentie, klantref, klant ref, relatienummer, relatienr, relatiecode, relatie id, debiteurnummer,
    debiteurennummer, debiteurnr, debiteur, debiteurcode, partnernummer, partnercode, partner ref, partnerreferentie
  `,
  counterpartyKeys: `
    leveranciersnummer, leveranciernummer, leveranciersnr, leverancierscode, leverancier id, crediteurnummer, crediteurennummer, crediteurnr, crediteurcode, crediteur,
    begunstigde id, begunstigde nr, begunstigdenummer, begunstigde ref, ontvanger id
  `,
  keys: 'extern id, externe id, externe referentie, extern nummer, extern kenmerk, uniek id, unieke id, referentie, referentienummer, kenmerk, sleutel, identificatie',
  parentKeys:
    'moeder id, moeder nr, klantnummer moeder, klantnummer moedermaatschappij, referentie moedermaatschappij, moedermaatschappij id',
  ownerKeys: 'eigenaar nr, eigenaar id, opdrachtgever nr, opdrachtgever id, opdrachtgevernummer, hoort bij',
};
