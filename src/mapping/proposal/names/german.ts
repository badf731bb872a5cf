/** German names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const GERMAN: Vocabulary = {
  address: {
    buildingName: 'Gebäude, Gebäudename',
    buildingNumber: 'Hausnummer, Hausnr, Hnr, Gebäudenummer',
    country:
      'Land?country, Staat?country, Länderschlüssel, Ländercode, Länderkürzel, Länderkennzeichen, Land ISO, ISO Land, LKZ',
    countrySubdivision: 'Bundesland, Kanton, Provinz, Region?region',
    district: 'Bezirk, Stadtteil, Ortsteil',
    floor: 'Stockwerk, Etage',
    line: `
      Adresse, Anschrift, Straße und Hausnummer, Straße Hausnummer, Straße Hausnr, Straße und Hausnr, Straße u Hausnr,
      Firmenanschrift, Firmenadresse, Adresszeile 1, Adresse 1
    `,
    line2: 'Adresszusatz, Adresszeile 2, Adresse 2, Zusatz?other',
    postBox: 'Postfach',
    postCode: 'PLZ, Postleitzahl',
    room: 'Zimmer, Raum',
    streetName: 'Straße, Str, Straßenname',
    town: 'Ort, Stadt, Wohnort, Gemeinde, Ortschaft, Sitz?seat, Firmensitz?seat',
  },
  primary:
    'Firmensitz, Hauptsitz, Sitz, Firmenadresse, Firmenanschrift, Hauptadresse, Geschäftsadresse, Geschäftsanschrift',
  billing: 'Rechnung, Rechnungs, Rechnungsadresse, Rechnungsanschrift, Rechnungsempfänger, RE, Fakturierung',
  parties: {
    subclient:
      'Kunde, Kunden, Mandant, Mandanten, Firma, Firmen, Unternehmen, Unternehmens, Gesellschaft, Gesellschafts',
    counterparty:
      'Empfänger, Empfängers, Zahlungsempfänger, Zahlungsempfängers, Lieferant, Lieferanten, Kreditor, Kreditoren, Begünstigter, Begünstigten, Empf, Lief',
  },
  subclient: {
    'details.alias': 'Kurzname, Kurzbezeichnung, Kürzel, Aliasname',
    'details.displayName': 'Anzeigename, angezeigter Name',
    'details.name': `
      Name?name, Name 1?name, Firma, Firmenname, Firmenbezeichnung, Firmierung, Unternehmen, Unternehmensname, Gesellschaft, Gesellschaftsname,
      Kundenname, Mandantenname, Name des Unternehmens, Name der Firma, Name der Gesellschaft, juristischer Name, rechtlicher Name,
      Organisation, Kunde?party, Mandant?party, Bezeichnung?name
    `,
    'details.taxId': `
      Steuernummer, Steuernr, Steuer Nr, Steuernummer 1, St Nr, StNr, Steuer ID, Steueridentifikationsnummer, Steuerliche Nummer, UID?tax
    `,
    'details.tradeRegistryId': `
      Handelsregisternummer, Handelsregisternr, Handelsregister Nr, Handelsregister?register, Handelsregistereintrag, HR Nummer, HRB, HRB Nr,
      HRA, HRA Nr, Registernummer, Firmenbuchnummer, FN Nummer, Unternehmensnummer
    `,
    'details.vatNumber': `
      USt IdNr?vat, USt ID?vat, USt ID Nr?vat, UStID?vat, UStIdNr?vat, Umsatzsteuer ID?vat, Umsatzsteuer IdNr?vat, MwSt Nr, Mehrwertsteuernummer,
      Umsatzsteueridentifikationsnummer?vat, Umsatzsteuer Identifikationsnummer?vat, Umsatzsteuernummer, UID Nummer?vat, ATU Nummer?vat
    `,
    'internalInformation.notes':
      'Bemerkung, Bemerkungen, Notiz, Notizen, Anmerkung, Anmerkungen, Kommentar, Kommentare, Hinweis, Hinweise',
    'kyc.details.detailedActivityDescription': `
      Tätigkeit, Tätigkeitsbeschreibung, Geschäftstätigkeit, Geschäftszweck, Unternehmensgegenstand, Gegenstand des Unternehmens,
      Unternehmenszweck, Beschreibung der Tätigkeit
    `,
    'kyc.details.hasWebsite': 'hat Website, hat Webseite',
    'kyc.details.incorporationDate': `
      Gründungsdatum, Gründung, gegründet, gegründet am, Datum der Gründung, Tag der Gründung, Eintragungsdatum?registration,
      eingetragen am?registration
    `,
    'kyc.details.industry':
      'Branche, Industrie, Wirtschaftszweig, Sektor, Geschäftsfeld, Branchenbezeichnung',
    'kyc.details.monthlyPaymentsCount': `
      Zahlungen pro Monat, Zahlungen je Monat, Anzahl Zahlungen pro Monat, Anzahl Zahlungen je Monat, monatliche Zahlungen,
      Anzahl monatlicher Zahlungen, Anzahl Zahlungen Monat, Zahlungen Monat, Transaktionen pro Monat, monatliche Transaktionen,
      Anzahl Transaktionen pro Monat
    `,
    'kyc.details.monthlyVolumeAmount': `
      Umsatz pro Monat, Umsatz je Monat, Umsatz Monat, Monatsumsatz, monatlicher Umsatz, Monatsvolumen, monatliches Volumen, Volumen pro Monat,
      Volumen je Monat, Volumen Monat, Zahlungsvolumen pro Monat, monatliches Zahlungsvolumen, Umsatz?turnover, Volumen?volume, Zahlungsvolumen?volume
    `,
    'kyc.details.tradingCountry': 'Land der Tätigkeit, Land der Geschäftstätigkeit, Tätigkeitsland',
    'kyc.details.tradingName': 'Handelsname, Geschäftsbezeichnung, Markenname, Firmiert als, auftretend als',
    'kyc.details.website':
      'Webseite, Internetseite, Internetadresse, Internet, Homepage, Webadresse, Web Adresse',
    'parent.name': `
      Muttergesellschaft, Mutterunternehmen, Konzernmutter, Muttergesellschaft Name, übergeordnete Gesellschaft, Mutter?parent,
      Konzern?parent
    `,
    'regulators.country': 'Land der Aufsicht, Land der Aufsichtsbehörde, Land der Regulierung',
    'regulators.isRegulated':
      'reguliert, ist reguliert, beaufsichtigt, unter Aufsicht, BaFin reguliert, regulierungspflichtig',
    'regulators.licenseNumber': `
      Lizenznummer?licence, Lizenznr?licence, Lizenz Nr?licence, Zulassungsnummer?licence, Erlaubnisnummer?licence, BaFin ID, BaFin Nummer, BaFin Nr
    `,
    'regulators.name':
      'Aufsichtsbehörde, Aufsicht, Regulierer, Regulator, Regulierungsbehörde, Name der Aufsichtsbehörde, Name der Aufsicht',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'Kontonummer, Kontonr, Konto Nr, Kto Nr, KtoNr, Konto?account, Kto?account, Bankkonto?account, Bankverbindung?account',
    'accounts.0.bank':
      'Bankname, Name der Bank, Kreditinstitut, Geldinstitut, Bankinstitut, Hausbank, Institut?institute',
    'accounts.0.bankCode': 'BLZ, Bankleitzahl, Bankcode',
    'accounts.0.bic_swift': 'BIC Code, SWIFT Adresse, SWIFT BIC, BIC SWIFT',
    'accounts.0.country': 'Land der Bank, Bankland, Bank Land, Land des Kontos, Kontoland, Land Bank',
    'accounts.0.currencies':
      'Kontowährung, Währung des Kontos, Währung Konto, Währung?currency, Währungscode?currency, Währungen?currency, WKZ?currency',
    email: 'E Mail Adresse, Mailadresse, Mail Adresse, Emailadresse, elektronische Post',
    firstName: 'Vorname, Rufname',
    lastName: 'Nachname, Familienname, Zuname',
    name: `
      Name?name, Name 1?name, Firma, Firmenname, Unternehmen, Empfängername, Name des Empfängers, Empfänger Name, Zahlungsempfänger,
      Name des Zahlungsempfängers, Empfänger, Lieferant, Lieferantenname, Name des Lieferanten, Kreditorenname, Name des Kreditors,
      Begünstigter?beneficiary, Name des Begünstigten, Kontoinhaber, Name des Kontoinhabers, Kreditor?party, Gläubiger, Gesellschaft
    `,
    'parent.name': 'Muttergesellschaft',
    paymentReason:
      'Verwendungszweck?purpose, Zahlungszweck, Zahlungsgrund, Grund der Zahlung, Zweck der Zahlung',
  },
  subclientKeys: `
    Kundennummer, Kundennr, Kunden Nr, Kd Nr, KdNr, Kunden ID, KundenID, Kundenkennung, Kundenreferenz, Kunden Ref, Kundenschlüssel,
    Mandantennummer, Mandanten Nr, Mandant Nr, Mandantennr, Mandanten ID, Debitorennummer, Debitorennr, Debitoren Nr, Debitornummer, Debitor Nr,
    Debitor, Partnernummer, Partner Nr, Partnernr, Partnerreferenz, Partner Ref, Geschäftspartner Nr, Geschäftspartnernummer, GP Nummer
  `,
  counterpartyKeys: `
    Lieferantennummer, Lieferantennr, Lieferanten Nr, Lieferanten ID, Kreditorennummer, Kreditorennr, Kreditoren Nr, Kreditornummer, Kreditor Nr,
    Kreditor, Empfänger ID, Empfänger Nr, Empfängernummer, Empfängernr, Empfänger Ref, Empfängerreferenz, Empfängerkennung, Zahlungsempfänger ID, Zahlungsempfänger Nr,
    Begünstigten ID, Begünstigten Nr
  `,
  keys: 'externe ID, externe Nummer, externe Referenz, Fremdschlüssel, eindeutige ID, Referenz, Referenznummer, Kennung, Schlüssel, Datensatz ID, Ident Nr',
  parentKeys: `
    Parent Ref, Mutter Nr, Mutter ID, Muttergesellschaft Nr, Muttergesellschaft ID, Kundennummer der Mutter, Kundennummer Mutter, übergeordnete Kundennummer,
    Kundennummer Muttergesellschaft, Konzernnummer, Hauptkunde Nr, Hauptkundennummer
  `,
  ownerKeys:
    'Eigentümer Nr, Eigentümernummer, Inhaber Nr, Auftraggeber Nr, Auftraggebernummer, Auftraggeber ID, gehört zu, zugehörige Kundennummer',
};
