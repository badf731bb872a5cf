/**
 * Headers as files from seven languages have them, each column with the field that a person who knows the service would
 * give it: `key` for the rows' own key, `-` for none, and with `or` between them where several are right. They were
 * written before the names that they are found by.
 */

export type Case = {
  readonly operation: 'subclient.create' | 'counterparty.draft';
  readonly columns: string;
};

const S = (columns: string): Case => ({ operation: 'subclient.create', columns });
const C = (columns: string): Case => ({ operation: 'counterparty.draft', columns });

const ENGLISH = [
  S(`Client Ref = key; Legal Name = details.name; Street = addresses.primary.streetName; House No = addresses.primary.buildingNumber;
     Postcode = addresses.primary.postCode; Town = addresses.primary.town; Country = addresses.primary.country; VAT No. = details.vatNumber;
     Company Number = details.tradeRegistryId; Date of incorporation = kyc.details.incorporationDate; Account Manager = -`),
  S(`Company Name = details.name; Known as = details.displayName; Industry = kyc.details.industry; Website = kyc.details.website;
     Monthly Volume (EUR) = kyc.details.monthlyVolumeAmount; Payments per Month = kyc.details.monthlyPaymentsCount; Headcount = -;
     Comments = internalInformation.notes; Customer No = key`),
  S(`Partner ID = key; Entity name = details.name; Registered office city = addresses.primary.town; ZIP = addresses.primary.postCode;
     County = addresses.primary.countrySubdivision; Annual turnover = -; FCA regulated (Y/N) = regulators.isRegulated;
     Regulator = regulators.name; Licence No = regulators.licenseNumber; Tax ID = details.taxId`),
  S(`id = key; Organisation = details.name; Billing street = addresses.billing.streetName; Billing ZIP = addresses.billing.postCode;
     Billing city = addresses.billing.town; Nature of business = kyc.details.detailedActivityDescription; Parent company = parent.name;
     Notes = internalInformation.notes; Trading as = kyc.details.tradingName; Phone = -`),
  S(`client_ref = key; business_name = details.name; address_line_1 = addresses.primary.streetName; city = addresses.primary.town;
     postal_code = addresses.primary.postCode; country_code = addresses.primary.country; vat_number = details.vatNumber;
     date_established = kyc.details.incorporationDate; url = kyc.details.website; fax = -`),
  S(`CRM ID = key; Client name = details.name; Short name = details.alias; PO Box = addresses.primary.postBox; State = addresses.primary.countrySubdivision;
     EIN = details.taxId; Turnover (GBP) = kyc.details.monthlyVolumeAmount; Parent Ref = parent.id; Relationship manager = -`),
  C(`Supplier No = key; Supplier name = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Bank name = accounts.0.bank;
     Currency = accounts.0.currencies; Email = email; Payment terms = -`),
  C(`Beneficiary name = name; Account no = accounts.0.accountNumber; Sort code = accounts.0.sortCodeUK; Bank = accounts.0.bank;
     Swift code = accounts.0.bic_swift; Bank country = accounts.0.country; Purpose of payment = paymentReason; Amount = -`),
  C(`First name = firstName; Surname = lastName; E-mail address = email; Street = address.streetName; Postcode = postCode;
     City = city; Country = country; IBAN = accounts.0.iban; SWIFT/BIC = accounts.0.bic_swift; Date of birth = -`),
  C(`Payee ID = key; Client Ref = parent.id; Payee = name; IBAN = accounts.0.iban; Account currency = accounts.0.currencies;
     Name of bank = accounts.0.bank; ABA routing number = accounts.0.routingNumber; Mobile = -`),
];

const GERMAN = [
  S(`Kundennummer = key; Firma = details.name; Straße = addresses.primary.streetName; Hausnummer = addresses.primary.buildingNumber;
     PLZ = addresses.primary.postCode; Ort = addresses.primary.town; Land = addresses.primary.country; USt-IdNr. = details.vatNumber or kyc.details.euVatNumber;
     Steuernummer = details.taxId; Handelsregisternummer = details.tradeRegistryId; Gründungsdatum = kyc.details.incorporationDate; Ansprechpartner = -`),
  S(`Kunden-Nr. = key; Firmenname = details.name; Kurzname = details.alias; Rechtsform = -; Branche = kyc.details.industry;
     Webseite = kyc.details.website; Umsatz pro Monat (EUR) = kyc.details.monthlyVolumeAmount; Zahlungen pro Monat = kyc.details.monthlyPaymentsCount;
     Anzahl Mitarbeiter = -; Bemerkung = internalInformation.notes; Status = -`),
  S(`Mandant-Nr = key; Unternehmensname = details.name; Anzeigename = details.displayName; Handelsname = kyc.details.tradingName; HRB-Nr. = details.tradeRegistryId;
     Registergericht = -; Sitz = addresses.primary.town; Postleitzahl = addresses.primary.postCode; Bundesland = addresses.primary.countrySubdivision;
     Staat = addresses.primary.country; Jahresumsatz = -; Reguliert = regulators.isRegulated; Aufsichtsbehörde = regulators.name; Lizenznummer = regulators.licenseNumber`),
  S(`Debitor = key; Name 1 = details.name; Name 2 = -; Strasse und Hausnummer = addresses.primary.streetName; Postleitzahl = addresses.primary.postCode;
     Ort = addresses.primary.town; Länderschlüssel = addresses.primary.country; Umsatzsteuer-ID = details.vatNumber or kyc.details.euVatNumber;
     Steuernummer 1 = details.taxId; Postfach = addresses.primary.postBox; Region = addresses.primary.countrySubdivision; Telefon 1 = -`),
  S(`Partner-Ref = key; Gesellschaft = details.name; Rechnungsadresse Straße = addresses.billing.streetName; Rechnungsadresse PLZ = addresses.billing.postCode;
     Rechnungsadresse Ort = addresses.billing.town; Geschäftszweck = kyc.details.detailedActivityDescription; Gegründet am = kyc.details.incorporationDate;
     Muttergesellschaft = parent.name; Notizen = internalInformation.notes; Internetadresse = kyc.details.website`),
  S(`kunden_id = key; firmenname = details.name; strasse = addresses.primary.streetName; hausnr = addresses.primary.buildingNumber; plz = addresses.primary.postCode;
     stadt = addresses.primary.town; laendercode = addresses.primary.country; ust_id = details.vatNumber or kyc.details.euVatNumber; hr_nummer = details.tradeRegistryId;
     monatsvolumen = kyc.details.monthlyVolumeAmount; betreuer = -`),
  C(`Lieferantennummer = key; Lieferant = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Bank = accounts.0.bank;
     Währung = accounts.0.currencies; E-Mail = email; Zahlungsziel = -`),
  C(`Kreditor = key; Name des Zahlungsempfängers = name; Kontonummer = accounts.0.accountNumber; Bankleitzahl = accounts.0.bankCode;
     Kreditinstitut = accounts.0.bank; SWIFT-Code = accounts.0.bic_swift; Land der Bank = accounts.0.country; Verwendungszweck = paymentReason;
     Strasse = address.streetName; PLZ = postCode; Ort = city or address.town`),
  C(`Vorname = firstName; Nachname = lastName; E-Mail-Adresse = email; Straße = address.streetName; Hausnr. = address.buildingNumber; PLZ = postCode;
     Wohnort = city or address.town; Land = country; IBAN = accounts.0.iban; BIC/SWIFT = accounts.0.bic_swift; Geburtsdatum = -`),
  C(`Empfänger-ID = key; Kundennummer = parent.id; Empfängername = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift;
     Kontowährung = accounts.0.currencies; Bankname = accounts.0.bank; Sachbearbeiter = -`),
];

const FRENCH = [
  S(`Code client = key; Raison sociale = details.name; Adresse = addresses.primary.streetName; Code postal = addresses.primary.postCode; Ville = addresses.primary.town;
     Pays = addresses.primary.country; N° SIREN = details.tradeRegistryId; N° TVA intracommunautaire = details.vatNumber or kyc.details.euVatNumber;
     Date de création = kyc.details.incorporationDate; Interlocuteur = -; Téléphone = -`),
  S(`Numéro client = key; Dénomination sociale = details.name; Nom commercial = kyc.details.tradingName; Forme juridique = -; Secteur d'activité = kyc.details.industry;
     Site web = kyc.details.website; Volume mensuel (€) = kyc.details.monthlyVolumeAmount; Nombre de paiements par mois = kyc.details.monthlyPaymentsCount;
     Commentaires = internalInformation.notes; Effectif = -`),
  S(`Réf. client = key; Société = details.name; Numéro de voie = addresses.primary.buildingNumber; Rue = addresses.primary.streetName; CP = addresses.primary.postCode;
     Commune = addresses.primary.town; Département = addresses.primary.countrySubdivision; Pays (code ISO) = addresses.primary.country; SIRET = details.tradeRegistryId;
     Code APE = -; Capital social = -`),
  S(`Identifiant = key; Nom de l'entreprise = details.name; Nom d’affichage = details.displayName; RCS = details.tradeRegistryId; Numéro fiscal = details.taxId;
     Date d'immatriculation = kyc.details.incorporationDate; Description de l'activité = kyc.details.detailedActivityDescription; Société mère = parent.name;
     Chiffre d'affaires annuel = -; Gestionnaire = -`),
  S(`ref_partenaire = key; raison_sociale = details.name; rue_facturation = addresses.billing.streetName; cp_facturation = addresses.billing.postCode;
     ville_facturation = addresses.billing.town; pays_facturation = addresses.billing.country; regule = regulators.isRegulated;
     autorite_de_tutelle = regulators.name; numero_agrement = regulators.licenseNumber; remarques = internalInformation.notes`),
  S(`ID client = key; Nom légal = details.name; Sigle = details.alias; Bâtiment = addresses.primary.buildingName; Étage = addresses.primary.floor;
     Boîte postale = addresses.primary.postBox; Code postal = addresses.primary.postCode; Localité = addresses.primary.town; Pays = addresses.primary.country;
     Numéro de TVA = details.vatNumber; CA mensuel = kyc.details.monthlyVolumeAmount`),
  C(`Code fournisseur = key; Fournisseur = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Banque = accounts.0.bank;
     Devise = accounts.0.currencies; Courriel = email; Conditions de paiement = -; Pays = country`),
  C(`Bénéficiaire = name; Numéro de compte = accounts.0.accountNumber; Code banque = accounts.0.bankCode; Code guichet = -; Clé RIB = -;
     Domiciliation = accounts.0.bank; Motif de paiement = paymentReason; Montant = -`),
  C(`Nom = lastName; Prénom = firstName; Adresse e-mail = email; Adresse = address1 or address.streetName; Complément d'adresse = address2; Code postal = postCode;
     Ville = city or address.town; Pays = country; IBAN = accounts.0.iban; Code SWIFT = accounts.0.bic_swift; Date de naissance = -`),
  C(`Réf. bénéficiaire = key; Réf. client = parent.id; Nom du bénéficiaire = name; IBAN = accounts.0.iban; Code BIC = accounts.0.bic_swift;
     Nom de la banque = accounts.0.bank; Pays de la banque = accounts.0.country; Devise du compte = accounts.0.currencies`),
];

const SPANISH = [
  S(`Código cliente = key; Razón social = details.name; Dirección = addresses.primary.streetName; Código postal = addresses.primary.postCode;
     Población = addresses.primary.town; Provincia = addresses.primary.countrySubdivision; País = addresses.primary.country; CIF = details.taxId;
     Fecha de constitución = kyc.details.incorporationDate; Teléfono = -; Persona de contacto = -`),
  S(`Nº cliente = key; Nombre de la empresa = details.name; Nombre comercial = kyc.details.tradingName; Sector = kyc.details.industry; Página web = kyc.details.website;
     Volumen mensual (EUR) = kyc.details.monthlyVolumeAmount; Número de pagos mensuales = kyc.details.monthlyPaymentsCount; Observaciones = internalInformation.notes;
     Nº empleados = -`),
  S(`Referencia = key; Denominación social = details.name; Calle = addresses.primary.streetName; Número = addresses.primary.buildingNumber; Piso = addresses.primary.floor;
     C.P. = addresses.primary.postCode; Ciudad = addresses.primary.town; Comunidad autónoma = addresses.primary.countrySubdivision; País = addresses.primary.country;
     NIF-IVA = details.vatNumber or kyc.details.euVatNumber; Registro mercantil = details.tradeRegistryId`),
  S(`ID de cliente = key; Empresa = details.name; Alias = details.alias; NIF = details.taxId; Número de registro = details.tradeRegistryId;
     Actividad = kyc.details.detailedActivityDescription; Regulada = regulators.isRegulated; Organismo regulador = regulators.name;
     Número de licencia = regulators.licenseNumber; Empresa matriz = parent.name; Facturación anual = -`),
  S(`ref_socio = key; razon_social = details.name; calle_facturacion = addresses.billing.streetName; cp_facturacion = addresses.billing.postCode;
     ciudad_facturacion = addresses.billing.town; pais_facturacion = addresses.billing.country; identificacion_fiscal = details.taxId;
     fecha_alta = -; comentarios = internalInformation.notes`),
  S(`Cliente = details.name; Domicilio social = addresses.primary.streetName; Localidad = addresses.primary.town; Código país = addresses.primary.country;
     Número de IVA = details.vatNumber; Sitio web = kyc.details.website; Volumen mensual = kyc.details.monthlyVolumeAmount;
     Apartado de correos = addresses.primary.postBox; Comercial = -`),
  C(`Código proveedor = key; Proveedor = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Banco = accounts.0.bank;
     Divisa = accounts.0.currencies; Correo electrónico = email; Forma de pago = -`),
  C(`Beneficiario = name; Número de cuenta = accounts.0.accountNumber; Código de entidad = accounts.0.bankCode; Entidad bancaria = accounts.0.bank;
     Código SWIFT = accounts.0.bic_swift; País del banco = accounts.0.country; Concepto de pago = paymentReason; Moneda = accounts.0.currencies; Importe = -`),
  C(`Nombre = firstName; Apellidos = lastName; DNI = -; E-mail = email; Dirección = address1 or address.streetName; Código postal = postCode;
     Ciudad = city or address.town; País = country; IBAN = accounts.0.iban; Fecha de nacimiento = -`),
  C(`ID beneficiario = key; ID cliente = parent.id; Nombre del beneficiario = name; Cuenta bancaria = accounts.0.accountNumber or accounts.0.iban;
     BIC/SWIFT = accounts.0.bic_swift; Moneda de la cuenta = accounts.0.currencies; Teléfono móvil = -`),
];

const ITALIAN = [
  S(`Codice cliente = key; Ragione sociale = details.name; Indirizzo = addresses.primary.streetName; CAP = addresses.primary.postCode; Città = addresses.primary.town;
     Provincia = addresses.primary.countrySubdivision; Nazione = addresses.primary.country; Partita IVA = details.vatNumber; Codice fiscale = details.taxId;
     Data di costituzione = kyc.details.incorporationDate; Referente = -; Telefono = -`),
  S(`Numero cliente = key; Denominazione = details.name; Nome commerciale = kyc.details.tradingName; Settore = kyc.details.industry; Sito web = kyc.details.website;
     Volume mensile (EUR) = kyc.details.monthlyVolumeAmount; Numero pagamenti mensili = kyc.details.monthlyPaymentsCount; Note = internalInformation.notes;
     Numero dipendenti = -; Forma giuridica = -`),
  S(`Rif. cliente = key; Nome azienda = details.name; Via = addresses.primary.streetName; Numero civico = addresses.primary.buildingNumber; Comune = addresses.primary.town;
     Prov. = addresses.primary.countrySubdivision; Stato = addresses.primary.country; P.IVA = details.vatNumber; C.F. = details.taxId;
     Numero REA = details.tradeRegistryId; Codice ATECO = -`),
  S(`ID = key; Società = details.name; Nome visualizzato = details.displayName; Sede legale = addresses.primary.streetName; Paese = addresses.primary.country;
     Oggetto sociale = kyc.details.detailedActivityDescription; Numero iscrizione registro imprese = details.tradeRegistryId; Società controllante = parent.name;
     Fatturato annuo = -; Regolamentata = regulators.isRegulated`),
  S(`cod_partner = key; ragione_sociale = details.name; indirizzo_fatturazione = addresses.billing.streetName; cap_fatturazione = addresses.billing.postCode;
     citta_fatturazione = addresses.billing.town; nazione_fatturazione = addresses.billing.country; autorita_vigilanza = regulators.name;
     numero_licenza = regulators.licenseNumber; osservazioni = internalInformation.notes; agente = -`),
  S(`Codice anagrafica = key; Azienda = details.name; Località = addresses.primary.town; Codice paese = addresses.primary.country; Casella postale = addresses.primary.postBox;
     Piano = addresses.primary.floor; Edificio = addresses.primary.buildingName; Settore di attività = kyc.details.industry;
     Fatturato mensile = kyc.details.monthlyVolumeAmount; Attività = kyc.details.detailedActivityDescription`),
  C(`Codice fornitore = key; Fornitore = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Banca = accounts.0.bank;
     Valuta = accounts.0.currencies; E-mail = email; Termini di pagamento = -`),
  C(`Beneficiario = name; Numero di conto = accounts.0.accountNumber; ABI = accounts.0.bankCode; CAB = -; Nome banca = accounts.0.bank;
     Codice SWIFT = accounts.0.bic_swift; Paese della banca = accounts.0.country; Causale = paymentReason; Importo = -`),
  C(`Nome = firstName; Cognome = lastName; Indirizzo email = email; Indirizzo = address1 or address.streetName; CAP = postCode; Città = city or address.town;
     Paese = country; IBAN = accounts.0.iban; Data di nascita = -`),
  C(`ID beneficiario = key; Codice cliente = parent.id; Nome beneficiario = name; Conto corrente = accounts.0.accountNumber; Istituto bancario = accounts.0.bank;
     Valuta del conto = accounts.0.currencies; Cellulare = -`),
];

const DUTCH = [
  S(`Klantnummer = key; Bedrijfsnaam = details.name; Straat = addresses.primary.streetName; Huisnummer = addresses.primary.buildingNumber;
     Postcode = addresses.primary.postCode; Plaats = addresses.primary.town; Land = addresses.primary.country; KvK-nummer = details.tradeRegistryId;
     BTW-nummer = details.vatNumber; Oprichtingsdatum = kyc.details.incorporationDate; Contactpersoon = -; Telefoon = -`),
  S(`Klantnr. = key; Statutaire naam = details.name; Handelsnaam = kyc.details.tradingName; Branche = kyc.details.industry; Website = kyc.details.website;
     Maandvolume (EUR) = kyc.details.monthlyVolumeAmount; Aantal betalingen per maand = kyc.details.monthlyPaymentsCount; Opmerkingen = internalInformation.notes;
     Aantal medewerkers = -`),
  S(`Relatienummer = key; Naam = details.name; Adres = addresses.primary.streetName; Postcode = addresses.primary.postCode; Woonplaats = addresses.primary.town;
     Provincie = addresses.primary.countrySubdivision; Landcode = addresses.primary.country; RSIN = details.taxId; Rechtsvorm = -; Omzet per jaar = -`),
  S(`Debiteurnummer = key; Organisatie = details.name; Weergavenaam = details.displayName; Vestigingsplaats = addresses.primary.town;
     Activiteiten = kyc.details.detailedActivityDescription; Moedermaatschappij = parent.name; Gereguleerd = regulators.isRegulated; Toezichthouder = regulators.name;
     Vergunningnummer = regulators.licenseNumber; Btw-id = details.vatNumber or kyc.details.euVatNumber`),
  S(`partner_ref = key; bedrijfsnaam = details.name; factuuradres_straat = addresses.billing.streetName; factuuradres_postcode = addresses.billing.postCode;
     factuuradres_plaats = addresses.billing.town; factuuradres_land = addresses.billing.country; fiscaal_nummer = details.taxId; notities = internalInformation.notes;
     accountmanager = -`),
  S(`Referentie = key; Onderneming = details.name; Korte naam = details.alias; Straatnaam = addresses.primary.streetName; Huisnr = addresses.primary.buildingNumber;
     Toevoeging = -; Postbus = addresses.primary.postBox; Gemeente = addresses.primary.town; Webadres = kyc.details.website;
     Omzet per maand = kyc.details.monthlyVolumeAmount; Sector = kyc.details.industry`),
  C(`Leveranciersnummer = key; Leverancier = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Bank = accounts.0.bank;
     Valuta = accounts.0.currencies; E-mailadres = email; Betalingstermijn = -`),
  C(`Begunstigde = name; Rekeningnummer = accounts.0.accountNumber; Bankcode = accounts.0.bankCode; Naam bank = accounts.0.bank;
     SWIFT-code = accounts.0.bic_swift; Land van de bank = accounts.0.country; Omschrijving = -; Bedrag = -`),
  C(`Voornaam = firstName; Tussenvoegsel = -; Achternaam = lastName; E-mail = email; Straat = address.streetName; Huisnummer = address.buildingNumber;
     Postcode = postCode; Woonplaats = city or address.town; Land = country; IBAN = accounts.0.iban; Geboortedatum = -`),
  C(`Begunstigde-ID = key; Klantnummer = parent.id; Naam begunstigde = name; IBAN = accounts.0.iban; Naam van de bank = accounts.0.bank;
     Valuta rekening = accounts.0.currencies; Reden van betaling = paymentReason; Mobiel = -`),
];

const POLISH = [
  S(`Numer klienta = key; Nazwa firmy = details.name; Ulica = addresses.primary.streetName; Numer domu = addresses.primary.buildingNumber;
     Kod pocztowy = addresses.primary.postCode; Miasto = addresses.primary.town; Kraj = addresses.primary.country; NIP = details.taxId; REGON = -;
     KRS = details.tradeRegistryId; Data założenia = kyc.details.incorporationDate; Osoba kontaktowa = -`),
  S(`Nr klienta = key; Nazwa = details.name; Nazwa handlowa = kyc.details.tradingName; Branża = kyc.details.industry; Strona www = kyc.details.website;
     Miesięczny obrót (PLN) = kyc.details.monthlyVolumeAmount; Liczba płatności miesięcznie = kyc.details.monthlyPaymentsCount; Uwagi = internalInformation.notes;
     Liczba pracowników = -`),
  S(`Kod kontrahenta = key; Pełna nazwa = details.name; Nazwa skrócona = details.alias; Adres = addresses.primary.streetName; Miejscowość = addresses.primary.town;
     Województwo = addresses.primary.countrySubdivision; Kod kraju = addresses.primary.country; NIP UE = details.vatNumber or kyc.details.euVatNumber; Forma prawna = -;
     Telefon = -`),
  S(`ID klienta = key; Firma = details.name; Numer KRS = details.tradeRegistryId; Numer VAT = details.vatNumber; Przedmiot działalności = kyc.details.detailedActivityDescription;
     Data rejestracji = kyc.details.incorporationDate; Spółka dominująca = parent.name; Regulowany = regulators.isRegulated; Organ nadzoru = regulators.name;
     Numer licencji = regulators.licenseNumber; Roczny obrót = -`),
  S(`ref_partnera = key; nazwa_firmy = details.name; faktura_ulica = addresses.billing.streetName; faktura_kod_pocztowy = addresses.billing.postCode;
     faktura_miasto = addresses.billing.town; faktura_kraj = addresses.billing.country; numer_podatkowy = details.taxId; notatki = internalInformation.notes; opiekun = -`),
  S(`Identyfikator = key; Nazwa spółki = details.name; Nr budynku = addresses.primary.buildingNumber; Skrytka pocztowa = addresses.primary.postBox;
     Państwo = addresses.primary.country; Strona internetowa = kyc.details.website; Wolumen miesięczny = kyc.details.monthlyVolumeAmount;
     Sektor = kyc.details.industry; Handlowiec = -`),
  C(`Kod dostawcy = key; Dostawca = name; IBAN = accounts.0.iban; BIC = accounts.0.bic_swift; Bank = accounts.0.bank; Waluta = accounts.0.currencies;
     E-mail = email; Termin płatności = -`),
  C(`Odbiorca = name; Numer rachunku = accounts.0.accountNumber; Nazwa banku = accounts.0.bank; Kod SWIFT = accounts.0.bic_swift;
     Kraj banku = accounts.0.country; Tytuł przelewu = paymentReason; Kwota = -`),
  C(`Imię = firstName; Nazwisko = lastName; PESEL = -; Adres e-mail = email; Ulica = address.streetName; Nr domu = address.buildingNumber; Kod pocztowy = postCode;
     Miejscowość = city or address.town; Kraj = country; IBAN = accounts.0.iban; Data urodzenia = -`),
  C(`ID beneficjenta = key; Numer klienta = parent.id; Nazwa beneficjenta = name; Rachunek bankowy = accounts.0.accountNumber or accounts.0.iban;
     Waluta rachunku = accounts.0.currencies; Cel płatności = paymentReason; Telefon komórkowy = -`),
];

/** By language its headers. */
export const HEADERS = {
  English: ENGLISH,
  German: GERMAN,
  French: FRENCH,
  Spanish: SPANISH,
  Italian: ITALIAN,
  Dutch: DUTCH,
  Polish: POLISH,
} as const;

/**
 * Headers that were written after the names and never compared with them: what a file nobody has seen may expect.
 */
export const UNSEEN = {
  German: [
    S(`Kd.-Nr. = key; Firmenbezeichnung = details.name; Straße/Hausnr. = addresses.primary.streetName; PLZ = addresses.primary.postCode; Ortsname = addresses.primary.town;
       Nation = addresses.primary.country; USt.-ID-Nr. = details.vatNumber or kyc.details.euVatNumber; Steuer-Nr. = details.taxId; HR-Nr. = details.tradeRegistryId;
       Eintragung HR = -; Branchenschlüssel = -; Monatl. Volumen (TEUR) = kyc.details.monthlyVolumeAmount; Homepage = kyc.details.website; Kundenbetreuer = -`),
    C(`Lief.-Nr. = key; Name des Empfängers = name; Empf.-IBAN = accounts.0.iban; Empf.-BIC = accounts.0.bic_swift; Bankname = accounts.0.bank; Whg. = accounts.0.currencies;
       Mailadresse = email; Anrede = -; Straße = address.streetName; PLZ = postCode; Ort = city or address.town; Länderkennzeichen = country`),
  ],
  French: [
    S(`N° de client = key; Raison sociale / Nom = details.name; Adresse du siège = addresses.primary.streetName; Code postal (siège) = addresses.primary.postCode; Ville (siège) = addresses.primary.town;
       Pays de résidence = addresses.primary.country; SIREN = details.tradeRegistryId; TVA intracom. = details.vatNumber or kyc.details.euVatNumber; NAF = -; Créée en = kyc.details.incorporationDate;
       Activité principale = kyc.details.detailedActivityDescription; Flux mensuel (k€) = kyc.details.monthlyVolumeAmount; Site Internet = kyc.details.website; Chargé de compte = -`),
    C(`Tiers = name or key; Intitulé du compte = name or accounts.0.alias; IBAN bénéficiaire = accounts.0.iban; BIC bénéficiaire = accounts.0.bic_swift; Banque du bénéficiaire = accounts.0.bank; Monnaie = accounts.0.currencies;
       Mail = email; Civilité = -; Rue = address.streetName; Code postal = postCode; Localité = city or address.town; Pays = country`),
  ],
  Spanish: [
    S(`Cód. cliente = key; Nombre o razón social = details.name; Domicilio = addresses.primary.streetName; C. Postal = addresses.primary.postCode; Municipio = addresses.primary.town; Provincia = addresses.primary.countrySubdivision;
       Nacionalidad = -; NIF/CIF = details.taxId; CNAE = -; Fecha const. = kyc.details.incorporationDate; Objeto social = kyc.details.detailedActivityDescription; Volumen mensual estimado (€) = kyc.details.monthlyVolumeAmount;
       Web = kyc.details.website; Gestor = -`),
    C(`N.º proveedor = key; Razón social del proveedor = name; IBAN = accounts.0.iban; SWIFT = accounts.0.bic_swift; Nombre entidad = accounts.0.bank; Moneda = accounts.0.currencies; Correo = email;
       Tratamiento = -; Calle = address.streetName; Código postal = postCode; Población = city or address.town; País = country`),
  ],
  Italian: [
    S(`Cod. Cliente = key; Denominazione/Ragione sociale = details.name; Indirizzo sede legale = addresses.primary.streetName; C.A.P. = addresses.primary.postCode; Città/Comune = addresses.primary.town; Prov = addresses.primary.countrySubdivision;
       Stato estero = -; Cod. Fiscale = details.taxId; Part. IVA = details.vatNumber; Data cost. = kyc.details.incorporationDate; Descrizione attività = kyc.details.detailedActivityDescription; Volumi mensili (€) = kyc.details.monthlyVolumeAmount;
       Sito Internet = kyc.details.website; Agente = -`),
    C(`Cod. Fornitore = key; Ragione Sociale Fornitore = name; IBAN fornitore = accounts.0.iban; SWIFT/BIC = accounts.0.bic_swift; Banca d'appoggio = accounts.0.bank; Divisa = accounts.0.currencies; Mail = email;
       Titolo = -; Via = address.streetName; CAP = postCode; Località = city or address.town; Nazione = country`),
  ],
  Dutch: [
    S(`Klant-ID = key; Naam rechtspersoon = details.name; Straat + huisnr. = addresses.primary.streetName; Pc = addresses.primary.postCode; Plaatsnaam = addresses.primary.town; Land (ISO) = addresses.primary.country;
       KVK = details.tradeRegistryId; BTW nr = details.vatNumber; SBI-code = -; Datum oprichting = kyc.details.incorporationDate; Omschrijving activiteiten = kyc.details.detailedActivityDescription;
       Verwacht maandvolume (EUR) = kyc.details.monthlyVolumeAmount; URL = kyc.details.website; Relatiebeheerder = -`),
    C(`Crediteurnr. = key; Crediteurnaam = name; IBAN-nummer = accounts.0.iban; BIC-code = accounts.0.bic_swift; Bank naam = accounts.0.bank; Muntsoort = accounts.0.currencies; Mail = email; Aanhef = -;
       Straatnaam = address.streetName; Postcode = postCode; Plaats = city or address.town; Landcode = country`),
  ],
  Polish: [
    S(`Nr kontrahenta = key; Nazwa pełna = details.name; Ulica i nr domu = addresses.primary.streetName; Kod = addresses.primary.postCode; Miejscowość = addresses.primary.town; Kraj siedziby = addresses.primary.country;
       Nr NIP = details.taxId; Nr KRS = details.tradeRegistryId; PKD = -; Data zał. = kyc.details.incorporationDate; Opis działalności = kyc.details.detailedActivityDescription; Średni miesięczny obrót (tys. PLN) = kyc.details.monthlyVolumeAmount;
       WWW = kyc.details.website; Opiekun klienta = -`),
    C(`Nr dostawcy = key; Nazwa odbiorcy = name; IBAN odbiorcy = accounts.0.iban; SWIFT/BIC = accounts.0.bic_swift; Bank odbiorcy = accounts.0.bank; Waluta rach. = accounts.0.currencies; Mail = email; Tytuł = -;
       Ulica = address.streetName; Kod pocztowy = postCode; Miasto = city or address.town; Kraj = country`),
  ],
} as const;

/** The columns of a header, each with the fields that are right for it; none for a column that has no field. */
export function columnsOf({
  columns,
}: Case): readonly { readonly column: string; readonly fields: readonly string[] }[] {
  return columns.split(';').map((entry) => {
    const [column = '', fields = ''] = entry.split('=').map((part) => part.trim());
    return { column, fields: fields === '-' ? [] : fields.split(' or ') };
  });
}
