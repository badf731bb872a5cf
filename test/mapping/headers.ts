/**
 * Headers as files of nine languages and of well-known programs have them, each column with the
 * field that a person who knows the service would give it: `key` for the rows' own key, `-` for
 * none, and with `or` between them where several are right.
 */
export type Header = {
  readonly from: string;
  readonly operation: 'subclient.create' | 'counterparty.draft';
  readonly columns: string;
};

const S = (from: string, columns: string): Header => ({ from, operation: 'subclient.create', columns });
const C = (from: string, columns: string): Header => ({ from, operation: 'counterparty.draft', columns });

export const HEADERS: readonly Header[] = [
  S(
    'English',
    `client_ref = key; business_name = details.name; address_line_1 = addresses.primary.streetName;
     city = addresses.primary.town; postal_code = addresses.primary.postCode;
     country_code = addresses.primary.country; vat_number = details.vatNumber;
     date_established = kyc.details.incorporationDate; url = kyc.details.website; fax = -`,
  ),
  C(
    'English',
    `Payee ID = key; Client Ref = parent.id; Payee = name; IBAN = accounts.0.iban;
     Account currency = accounts.0.currencies; Name of bank = accounts.0.bank;
     ABA routing number = accounts.0.routingNumber; Mobile = -`,
  ),
  S(
    'German',
    `Kd.-Nr. = key; Firmenbezeichnung = details.name; Straße/Hausnr. = addresses.primary.streetName;
     PLZ = addresses.primary.postCode; Ortsname = addresses.primary.town; Nation = addresses.primary.country;
     USt.-ID-Nr. = details.vatNumber or kyc.details.euVatNumber; Steuer-Nr. = details.taxId;
     HR-Nr. = details.tradeRegistryId; Eintragung HR = -; Branchenschlüssel = -;
     Monatl. Volumen (TEUR) = kyc.details.monthlyVolumeAmount; Homepage = kyc.details.website; Kundenbetreuer = -`,
  ),
  C(
    'German',
    `Lief.-Nr. = key; Name des Empfängers = name; Empf.-IBAN = accounts.0.iban; Empf.-BIC = accounts.0.bic_swift;
     Bankname = accounts.0.bank; Whg. = accounts.0.currencies; Mailadresse = email; Anrede = -;
     Straße = address.streetName; PLZ = postCode; Ort = city or address.town; Länderkennzeichen = country`,
  ),
  S(
    'French',
    `N° de client = key; Raison sociale / Nom = details.name; Adresse du siège = addresses.primary.streetName;
     Code postal (siège) = addresses.primary.postCode; Ville (siège) = addresses.primary.town;
     Pays de résidence = addresses.primary.country; SIREN = details.tradeRegistryId;
     TVA intracom. = details.vatNumber or kyc.details.euVatNumber; NAF = -; Créée en = kyc.details.incorporationDate;
     Activité principale = kyc.details.detailedActivityDescription;
     Flux mensuel (k€) = kyc.details.monthlyVolumeAmount; Site Internet = kyc.details.website; Chargé de compte = -`,
  ),
  C(
    'French',
    `Tiers = -; Intitulé du compte = name; IBAN bénéficiaire = accounts.0.iban;
     BIC bénéficiaire = accounts.0.bic_swift; Banque du bénéficiaire = accounts.0.bank;
     Monnaie = accounts.0.currencies; Mail = email; Civilité = -; Rue = address.streetName; Code postal = postCode;
     Localité = city or address.town; Pays = country`,
  ),
  S(
    'Spanish',
    `Cód. cliente = key; Nombre o razón social = details.name; Domicilio = addresses.primary.streetName;
     C. Postal = addresses.primary.postCode; Municipio = addresses.primary.town;
     Provincia = addresses.primary.countrySubdivision; Nacionalidad = -; NIF/CIF = details.taxId; CNAE = -;
     Fecha const. = kyc.details.incorporationDate; Objeto social = kyc.details.detailedActivityDescription;
     Volumen mensual estimado (€) = kyc.details.monthlyVolumeAmount; Web = kyc.details.website; Gestor = -`,
  ),
  C(
    'Spanish',
    `N.º proveedor = key; Razón social del proveedor = name; IBAN = accounts.0.iban; SWIFT = accounts.0.bic_swift;
     Nombre entidad = accounts.0.bank; Moneda = accounts.0.currencies; Correo = email; Tratamiento = -;
     Calle = address.streetName; Código postal = postCode; Población = city or address.town; País = country`,
  ),
  S(
    'Italian',
    `Cod. Cliente = key; Denominazione/Ragione sociale = details.name;
     Indirizzo sede legale = addresses.primary.streetName; C.A.P. = addresses.primary.postCode;
     Città/Comune = addresses.primary.town; Prov = addresses.primary.countrySubdivision; Stato estero = -;
     Cod. Fiscale = details.taxId; Part. IVA = details.vatNumber; Data cost. = kyc.details.incorporationDate;
     Descrizione attività = kyc.details.detailedActivityDescription;
     Volumi mensili (€) = kyc.details.monthlyVolumeAmount; Sito Internet = kyc.details.website; Agente = -`,
  ),
  C(
    'Italian',
    `Cod. Fornitore = key; Ragione Sociale Fornitore = name; IBAN fornitore = accounts.0.iban;
     SWIFT/BIC = accounts.0.bic_swift; Banca d'appoggio = accounts.0.bank; Divisa = accounts.0.currencies;
     Mail = email; Titolo = -; Via = address.streetName; CAP = postCode; Località = city or address.town;
     Nazione = country`,
  ),
  S(
    'Dutch',
    `Klant-ID = key; Naam rechtspersoon = details.name; Straat + huisnr. = addresses.primary.streetName;
     Pc = addresses.primary.postCode; Plaatsnaam = addresses.primary.town; Land (ISO) = addresses.primary.country;
     KVK = details.tradeRegistryId; BTW nr = details.vatNumber; SBI-code = -;
     Datum oprichting = kyc.details.incorporationDate;
     Omschrijving activiteiten = kyc.details.detailedActivityDescription;
     Verwacht maandvolume (EUR) = kyc.details.monthlyVolumeAmount; URL = kyc.details.website; Relatiebeheerder = -`,
  ),
  C(
    'Dutch',
    `Crediteurnr. = key; Crediteurnaam = name; IBAN-nummer = accounts.0.iban; BIC-code = accounts.0.bic_swift;
     Bank naam = accounts.0.bank; Muntsoort = accounts.0.currencies; Mail = email; Aanhef = -;
     Straatnaam = address.streetName; Postcode = postCode; Plaats = city or address.town; Landcode = country`,
  ),
  S(
    'Polish',
    `Nr kontrahenta = key; Nazwa pełna = details.name; Ulica i nr domu = addresses.primary.streetName;
     Kod = addresses.primary.postCode; Miejscowość = addresses.primary.town;
     Kraj siedziby = addresses.primary.country; Nr NIP = details.taxId; Nr KRS = details.tradeRegistryId; PKD = -;
     Data zał. = kyc.details.incorporationDate; Opis działalności = kyc.details.detailedActivityDescription;
     Średni miesięczny obrót (tys. PLN) = kyc.details.monthlyVolumeAmount; WWW = kyc.details.website;
     Opiekun klienta = -`,
  ),
  C(
    'Polish',
    `Nr dostawcy = key; Nazwa odbiorcy = name; IBAN odbiorcy = accounts.0.iban; SWIFT/BIC = accounts.0.bic_swift;
     Bank odbiorcy = accounts.0.bank; Waluta rach. = accounts.0.currencies; Mail = email; Tytuł = -;
     Ulica = address.streetName; Kod pocztowy = postCode; Miasto = city or address.town; Kraj = country`,
  ),
  S(
    'Portuguese',
    `Código do cliente = key; Razão social = details.name; Nome fantasia = kyc.details.tradingName;
     Logradouro = addresses.primary.streetName; Bairro = addresses.primary.district; Cidade = addresses.primary.town;
     UF = addresses.primary.countrySubdivision; CEP = addresses.primary.postCode; País = addresses.primary.country;
     CNPJ = details.taxId; Data de constituição = kyc.details.incorporationDate;
     Faturamento mensal (R$) = kyc.details.monthlyVolumeAmount; Regulada (sim/não) = regulators.isRegulated;
     Observações = internalInformation.notes; Telefone = -`,
  ),
  C(
    'Portuguese',
    `N.º fornecedor = key; Nome do favorecido = name; Banco = accounts.0.bank; IBAN = accounts.0.iban;
     Código SWIFT = accounts.0.bic_swift; Moeda = accounts.0.currencies; Morada = address1; Código postal = postCode;
     Localidade = city; Motivo do pagamento = paymentReason; Valor = -`,
  ),
  S(
    'Swedish',
    `Kundnummer = key; Företagsnamn = details.name; Organisationsnummer = details.tradeRegistryId;
     Momsregistreringsnummer = details.vatNumber; Gatuadress = addresses.primary.streetName;
     Postnummer = addresses.primary.postCode; Postort = addresses.primary.town; Land = addresses.primary.country;
     Fakturaadress ort = addresses.billing.town; Bransch = kyc.details.industry; Hemsida = kyc.details.website;
     Omsättning per månad (SEK) = kyc.details.monthlyVolumeAmount; Under tillsyn = regulators.isRegulated;
     Kontaktperson = -`,
  ),
  C(
    'Swedish',
    `Leverantörsnr = key; Leverantör = name; Kontonummer = accounts.0.accountNumber;
     Clearingnummer = accounts.0.bankCode; Banknamn = accounts.0.bank; Valuta = accounts.0.currencies; E-post = email;
     Betalningsvillkor = -`,
  ),
  S(
    'SAP',
    `KUNNR = key; NAME1 = details.name; NAME2 = -; SORTL = details.alias; STRAS = addresses.primary.streetName;
     ORT01 = addresses.primary.town; ORT02 = addresses.primary.district; PSTLZ = addresses.primary.postCode;
     LAND1 = addresses.primary.country; REGIO = addresses.primary.countrySubdivision;
     PFACH = addresses.primary.postBox; STCEG = details.vatNumber; STCD1 = details.taxId; TELF1 = -; KTOKD = -`,
  ),
  S(
    'Dynamics',
    `Account Name = details.name; Account Number = key; Address 1: Street 1 = addresses.primary.streetName;
     Address 1: City = addresses.primary.town; Address 1: ZIP/Postal Code = addresses.primary.postCode;
     Address 1: State/Province = addresses.primary.countrySubdivision;
     Address 1: Country/Region = addresses.primary.country; Address 2: City = -;
     Bill To Address: City = addresses.billing.town; Website = kyc.details.website; Parent Account = parent.name;
     Main Phone = -; Status = -`,
  ),
  S(
    'Pipedrive',
    `Organization - ID = key; Organization - Name = details.name;
     Organization - Street/road name of Address = addresses.primary.streetName;
     Organization - House number of Address = addresses.primary.buildingNumber;
     Organization - City/town/village/locality of Address = addresses.primary.town;
     Organization - ZIP/Postal code of Address = addresses.primary.postCode;
     Organization - Country of Address = addresses.primary.country; Organization - Owner = -;
     Organization - Label = -`,
  ),
  C(
    'accounting',
    `AccountNumber = -; ContactName = -; EmailAddress = email; BankAccountName = -;
     BankAccountNumber = accounts.0.accountNumber; Status = -; ID = key; Name = name`,
  ),
  C(
    'accounting',
    `Konto = -; Name = name; Ort = city; Land = country; IBAN-Nr. 1 = accounts.0.iban;
     SWIFT-Code 1 = accounts.0.bic_swift; Währung = accounts.0.currencies; Kontonummer = -`,
  ),
];

/** Each with the fields that are right for it; none for a column that has no field. */
export function columnsOf({
  columns,
}: Header): readonly { readonly column: string; readonly fields: readonly string[] }[] {
  return columns.split(';').map((entry) => {
    const [column = '', fields = ''] = entry.split(' = ').map((part) => part.trim());
    return { column, fields: fields === '-' ? [] : fields.split(' or ') };
  });
}
