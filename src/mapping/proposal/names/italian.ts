/** Italian names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const ITALIAN: Vocabulary = {
  address: {
    buildingName: 'edificio, palazzo, nome edificio',
    buildingNumber: 'numero civico, civico, n° civico',
    country:
      'paese?country, nazione?country, stato?state, codice paese, codice nazione, paese ISO, codice ISO paese',
    countrySubdivision: 'provincia, prov, sigla provincia, regione?region',
    district: 'quartiere, distretto, frazione',
    floor: 'piano',
    line: 'indirizzo, indirizzo 1, via e numero, via e numero civico, sede legale, indirizzo sede legale, indirizzo sede, riga indirizzo 1',
    line2: 'indirizzo 2, riga indirizzo 2, complemento indirizzo, presso?other',
    postBox: 'casella postale',
    postCode: 'CAP, codice avviamento postale, codice postale',
    room: 'stanza, ufficio?other',
    streetName: 'via, nome via, strada',
    town: 'città, comune, località',
  },
  primary: 'sede legale, sede, principale, indirizzo principale, sede principale',
  billing: 'fatturazione, indirizzo di fatturazione, fattura, indirizzo fattura, sede fatturazione',
  parties: {
    subclient: 'cliente, azienda, società, impresa',
    counterparty: 'beneficiario, fornitore, creditore, destinatario',
  },
  subclient: {
    'details.alias': 'sigla, nome breve, nome abbreviato, alias',
    'details.displayName': 'nome visualizzato, nome da visualizzare',
    'details.name': `
      nome?name, ragione sociale, denominazione, denominazione sociale, azienda, nome azienda, nome dell'azienda, impresa, nome impresa, società, nome società,
      nome della società, nome legale, nome cliente, nome del cliente, cliente?party, organizzazione, ditta, intestazione?name, nominativo?name
    `,
    'details.taxId':
      'codice fiscale, C F, CF, cod fiscale, identificativo fiscale, numero identificazione fiscale',
    'details.tradeRegistryId': `
      numero REA, REA, n° REA, numero iscrizione registro imprese, iscrizione registro imprese, registro imprese?register, numero registro imprese,
      numero di registro, numero iscrizione, numero di iscrizione
    `,
    'details.vatNumber':
      'partita IVA, P IVA, PIVA, p iva, numero partita IVA, numero IVA, IVA?vat, P IVA CEE?vat, partita IVA comunitaria?vat',
    'internalInformation.notes': 'note, nota, osservazioni, commenti, commento, annotazioni',
    'kyc.details.detailedActivityDescription': `
      attività, descrizione attività, descrizione dell'attività, oggetto sociale, attività principale, attività svolta, attività economica
    `,
    'kyc.details.hasWebsite': 'ha sito web, ha un sito web',
    'kyc.details.incorporationDate':
      'data di costituzione, data costituzione, costituita il, data fondazione, data di fondazione, anno fondazione?registration, data iscrizione?registration, data di iscrizione?registration',
    'kyc.details.industry':
      'settore, settore di attività, settore attività, ramo, industria, settore merceologico, comparto',
    'kyc.details.monthlyPaymentsCount': `
      numero pagamenti mensili, numero di pagamenti mensili, pagamenti mensili, pagamenti al mese, pagamenti per mese, numero pagamenti al mese,
      numero di pagamenti al mese, transazioni mensili, numero transazioni mensili, transazioni al mese, operazioni mensili
    `,
    'kyc.details.monthlyVolumeAmount': `
      volume mensile, volume al mese, volume per mese, importo mensile, fatturato mensile, volume mensile pagamenti, volume?volume, fatturato?turnover,
      volume d'affari?turnover, giro d'affari?turnover
    `,
    'kyc.details.tradingCountry': 'paese di attività, paese di operatività, paese operativo',
    'kyc.details.tradingName': 'nome commerciale, denominazione commerciale, insegna, marchio',
    'kyc.details.website': 'sito web, sito internet, sito, indirizzo web, pagina web',
    'parent.name':
      'società controllante, controllante, capogruppo, società capogruppo, società madre, casa madre, gruppo?parent',
    'regulators.country': 'paese autorità, paese del regolatore, paese di regolamentazione',
    'regulators.isRegulated':
      'regolamentata, regolamentato, regolata, vigilata, vigilato, soggetto vigilato, è regolamentata',
    'regulators.licenseNumber':
      'numero licenza?licence, numero di licenza?licence, licenza?licence, numero autorizzazione?licence, numero di autorizzazione?licence',
    'regulators.name':
      'autorità di vigilanza, autorità vigilanza, autorità, regolatore, ente di vigilanza, organo di vigilanza, nome autorità',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'numero di conto, numero conto, n° conto, numero conto corrente, numero di conto corrente, conto?account, conto corrente?account, conto bancario?account, C C?account',
    'accounts.0.bank':
      'banca, nome banca, nome della banca, istituto bancario, istituto di credito, istituto?institute, denominazione banca',
    'accounts.0.bankCode': 'ABI?abi, codice ABI?abi, codice banca',
    'accounts.0.bic_swift': 'codice BIC, codice SWIFT, BIC SWIFT, SWIFT BIC, codice BIC SWIFT',
    'accounts.0.country':
      'paese della banca, paese banca, nazione banca, paese del conto, nazione della banca',
    'accounts.0.currencies':
      'valuta del conto, valuta conto, divisa conto, divisa del conto, valuta?currency, divisa?currency, valute?currency',
    email: 'indirizzo email, indirizzo e mail, posta elettronica, indirizzo di posta elettronica, PEC?mail',
    firstName: 'nome di battesimo',
    lastName: 'cognome',
    name: `
      nome?name, ragione sociale, denominazione, azienda, nome azienda, società, beneficiario?beneficiary, nome beneficiario, nome del beneficiario, fornitore, nome fornitore,
      nome del fornitore, intestatario, intestatario conto, intestatario del conto, destinatario, creditore, nominativo?name, ditta
    `,
    'parent.name': 'società controllante, capogruppo, società madre',
    paymentReason:
      'causale?purpose, causale pagamento?purpose, causale del pagamento?purpose, causale bonifico?purpose, motivo del pagamento, motivo pagamento, scopo del pagamento',
  },
  subclientKeys: `
    codice cliente, cod cliente, numero cliente, n° cliente, id cliente, cliente id, riferimento cliente, rif cliente, codice anagrafica, codice soggetto,
    codice partner, cod partner, rif partner, riferimento partner, id partner
  `,
  counterpartyKeys: `
    codice fornitore, cod fornitore, numero fornitore, id fornitore, rif fornitore, riferimento fornitore, id beneficiario, codice beneficiario, cod beneficiario,
    rif beneficiario, riferimento beneficiario, codice creditore
  `,
  keys: 'id esterno, identificativo esterno, riferimento esterno, rif esterno, codice esterno, identificativo univoco, identificativo, riferimento, rif, chiave, codice interno',
  parentKeys:
    'id controllante, codice controllante, rif controllante, codice cliente controllante, codice cliente capogruppo, codice capogruppo, id capogruppo',
  ownerKeys: 'rif titolare, id titolare, codice titolare, codice ordinante, id ordinante, appartiene a',
};
