/** Polish names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const POLISH: Vocabulary = {
  address: {
    buildingName: 'budynek, nazwa budynku',
    buildingNumber: 'numer domu, nr domu, numer budynku, nr budynku, numer posesji, nr posesji',
    country: 'kraj?country, państwo?country, kod kraju, kod państwa, kraj ISO, kod ISO kraju',
    countrySubdivision: 'województwo, prowincja, region?region',
    district: 'dzielnica, powiat',
    floor: 'piętro',
    line: 'adres, adres 1, adres linia 1, ulica i numer, ulica i nr, ulica nr, adres siedziby, adres firmy',
    line2: 'adres 2, adres linia 2, adres cd, dodatkowy adres',
    postBox: 'skrytka pocztowa, skr pocztowa',
    postCode: 'kod pocztowy, kod poczt, kod p',
    room: 'numer lokalu, nr lokalu, lokal, pokój',
    streetName: 'ulica, ul, nazwa ulicy',
    town: 'miasto, miejscowość, gmina?region, siedziba?seat',
  },
  primary: 'siedziba, adres siedziby, główny, adres główny, siedziby',
  billing:
    'faktura, faktury, do faktury, adres do faktury, adres faktury, rozliczeniowy, adres rozliczeniowy, fakturowanie',
  parties: {
    subclient: 'klient, klienta, firma, firmy, spółki, kontrahenta, podmiotu',
    counterparty: 'odbiorca, odbiorcy, dostawca, dostawcy, beneficjent, beneficjenta, kontrahenta',
  },
  subclient: {
    'details.alias': 'nazwa skrócona, skrót, skrócona nazwa, skrót nazwy',
    'details.displayName': 'nazwa wyświetlana, wyświetlana nazwa',
    'details.name': `
      nazwa?name, nazwa firmy, firma, pełna nazwa, nazwa pełna, nazwa spółki, spółka, nazwa klienta, nazwa kontrahenta, nazwa podmiotu, przedsiębiorstwo,
      nazwa przedsiębiorstwa, nazwa prawna, organizacja, klient?party, kontrahent?party, podmiot?party
    `,
    'details.taxId':
      'NIP, numer NIP, nr NIP, numer podatkowy, identyfikator podatkowy, numer identyfikacji podatkowej',
    'details.tradeRegistryId':
      'KRS, numer KRS, nr KRS, numer rejestrowy, numer w rejestrze, numer rejestru, numer wpisu do rejestru',
    'details.vatNumber':
      'numer VAT, nr VAT, NIP UE?vat, numer VAT UE?vat, nr VAT UE?vat, VAT UE?vat, NIP europejski?vat',
    'internalInformation.notes': 'uwagi, uwaga, notatka, notatki, komentarz, komentarze, adnotacje',
    'kyc.details.detailedActivityDescription': `
      przedmiot działalności, opis działalności, działalność, rodzaj działalności, główna działalność, zakres działalności
    `,
    'kyc.details.hasWebsite': 'posiada stronę www, ma stronę www',
    'kyc.details.incorporationDate':
      'data założenia, data utworzenia, data powstania, założona, założono, data rejestracji?registration, data wpisu?registration, data rozpoczęcia działalności?registration',
    'kyc.details.industry': 'branża, sektor, przemysł, sektor działalności',
    'kyc.details.monthlyPaymentsCount': `
      liczba płatności miesięcznie, liczba płatności na miesiąc, płatności miesięcznie, płatności na miesiąc, miesięczna liczba płatności, liczba przelewów miesięcznie,
      miesięczna liczba przelewów, liczba transakcji miesięcznie, miesięczna liczba transakcji, ilość płatności miesięcznie, płatności miesięczne
    `,
    'kyc.details.monthlyVolumeAmount': `
      miesięczny obrót, obrót miesięczny, obroty miesięczne, miesięczne obroty, wolumen miesięczny, miesięczny wolumen, kwota miesięczna, obrót na miesiąc, wolumen?volume,
      obrót?turnover, obroty?turnover
    `,
    'kyc.details.tradingCountry': 'kraj działalności, kraj prowadzenia działalności',
    'kyc.details.tradingName': 'nazwa handlowa, marka, nazwa marki',
    'kyc.details.website': 'strona www, www, strona internetowa, adres www, strona, witryna',
    'parent.name':
      'spółka dominująca, jednostka dominująca, spółka matka, nazwa spółki dominującej, podmiot dominujący, grupa?parent',
    'regulators.country': 'kraj regulatora, kraj nadzoru, kraj organu nadzoru',
    'regulators.isRegulated':
      'regulowany, regulowana, podlega regulacji, podmiot regulowany, nadzorowany, czy regulowany',
    'regulators.licenseNumber':
      'numer licencji?licence, nr licencji?licence, licencja?licence, numer zezwolenia?licence, nr zezwolenia?licence',
    'regulators.name':
      'organ nadzoru, regulator, nadzorca, organ nadzorujący, organ nadzorczy, nazwa regulatora',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'numer rachunku, nr rachunku, numer konta, nr konta, numer rachunku bankowego, nr rachunku bankowego, numer konta bankowego, NRB, rachunek?account, rachunek bankowy?account, konto?account, konto bankowe?account',
    'accounts.0.bank': 'nazwa banku, bank odbiorcy',
    'accounts.0.bankCode':
      'numer rozliczeniowy banku, nr rozliczeniowy banku, kod banku, numer rozliczeniowy',
    'accounts.0.bic_swift': 'kod BIC, kod SWIFT, BIC SWIFT, SWIFT BIC, numer SWIFT, kod BIC SWIFT',
    'accounts.0.country': 'kraj banku, kraj rachunku, państwo banku',
    'accounts.0.currencies':
      'waluta rachunku, waluta konta, waluta?currency, waluty?currency, kod waluty?currency',
    email: 'adres e mail, adres email, adres poczty elektronicznej, poczta elektroniczna, mail',
    firstName: 'imię, imiona, pierwsze imię',
    lastName: 'nazwisko',
    name: `
      nazwa?name, nazwa firmy, firma, pełna nazwa, odbiorca, nazwa odbiorcy, beneficjent?beneficiary, nazwa beneficjenta, dostawca, nazwa dostawcy, kontrahent?party,
      nazwa kontrahenta, właściciel rachunku, posiadacz rachunku, nazwa posiadacza rachunku, wierzyciel
    `,
    'parent.name': 'spółka dominująca, spółka matka',
    paymentReason:
      'cel płatności, powód płatności, cel przelewu, tytuł przelewu?purpose, tytuł płatności?purpose, tytułem?purpose',
  },
  subclientKeys: `
    numer klienta, nr klienta, kod klienta, id klienta, identyfikator klienta, klient id, numer kontrahenta, nr kontrahenta, kod kontrahenta, id kontrahenta, referencja klienta,
    ref klienta, ref partnera, numer partnera, nr partnera, kod partnera, id partnera, referencja partnera
  `,
  counterpartyKeys: `
    kod dostawcy, numer dostawcy, nr dostawcy, id dostawcy, id beneficjenta, numer beneficjenta, nr beneficjenta, kod beneficjenta, ref beneficjenta, id odbiorcy, numer odbiorcy,
    nr odbiorcy, kod odbiorcy, ref odbiorcy
  `,
  keys: 'id zewnętrzne, identyfikator zewnętrzny, numer zewnętrzny, referencja zewnętrzna, unikalny identyfikator, identyfikator, referencja, ref, klucz, kod wewnętrzny, symbol',
  parentKeys:
    'id spółki dominującej, numer spółki dominującej, kod spółki dominującej, numer klienta spółki dominującej, id podmiotu dominującego, id spółki matki',
  ownerKeys:
    'id właściciela, numer właściciela, id zleceniodawcy, numer zleceniodawcy, kod zleceniodawcy, należy do',
};
