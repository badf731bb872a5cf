/** French names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const FRENCH: Vocabulary = {
  address: {
    buildingName: 'bâtiment, immeuble, résidence',
    buildingNumber: 'numéro de voie, numéro de rue, numéro dans la voie, n° voie, n° rue',
    country: 'pays?country, code pays, pays ISO, code ISO pays',
    countrySubdivision: 'département, province, canton, région?region',
    district: 'quartier, arrondissement',
    floor: 'étage',
    line: 'adresse, adresse 1, adresse ligne 1, ligne adresse 1, adresse postale, numéro et rue, numéro et voie, rue et numéro',
    line2: 'complément adresse, adresse 2, adresse ligne 2, adresse complémentaire, complément',
    postBox: 'boîte postale, BP',
    postCode: 'code postal, CP',
    room: 'bureau?other, salle?other',
    streetName: 'rue, voie, nom de rue, nom de la voie, libellé voie',
    town: 'ville, commune, localité',
  },
  primary: 'siège, siège social, principale, adresse principale, adresse du siège, adresse siège social',
  billing: 'facturation, adresse de facturation, facture, adresse facture',
  parties: {
    subclient: 'client, société, entreprise',
    counterparty: 'bénéficiaire, fournisseur, créancier, destinataire, tiers',
  },
  subclient: {
    'details.alias': 'sigle, nom court, nom abrégé, abréviation',
    'details.displayName': "nom d'affichage, nom affiché",
    'details.name': `
      nom?name, raison sociale, dénomination sociale, dénomination, société, nom de la société, entreprise, nom de l'entreprise, nom légal,
      nom juridique, nom du client, nom client, organisation, nom de l'organisation, client?party, libellé?name
    `,
    'details.taxId': `
      numéro fiscal, identifiant fiscal, numéro identification fiscale, NIF, numéro de contribuable, référence fiscale
    `,
    'details.tradeRegistryId': `
      SIREN, numéro SIREN, SIRET?siret, numéro SIRET?siret, RCS, numéro RCS, registre du commerce?register, numéro registre du commerce,
      numéro registre de commerce, numéro immatriculation, numéro d'entreprise, BCE, numéro BCE, IDE, numéro IDE
    `,
    'details.vatNumber': `
      TVA?vat, numéro TVA, numéro de TVA, identifiant TVA, TVA intracommunautaire?vat, numéro TVA intracommunautaire?vat,
      numéro TVA intracom?vat, TVA intracom?vat, TVA intra?vat
    `,
    'internalInformation.notes':
      'commentaire, commentaires, remarque, remarques, notes, note, observation, observations',
    'kyc.details.detailedActivityDescription': `
      activité, description activité, description de l'activité, activité principale, objet social, nature de l'activité
    `,
    'kyc.details.hasWebsite': 'a un site web, site web oui non',
    'kyc.details.incorporationDate': `
      date de création, date de constitution, créée le, créé le, date création entreprise, date de création de la société,
      date immatriculation?registration, immatriculée le?registration
    `,
    'kyc.details.industry': "secteur, secteur d'activité, branche, industrie, branche d'activité",
    'kyc.details.monthlyPaymentsCount': `
      nombre de paiements par mois, paiements par mois, nombre de paiements mensuels, paiements mensuels, nombre paiements mois, nb paiements par mois,
      nb paiements mois, nombre de transactions par mois, transactions par mois, transactions mensuelles, nombre de virements par mois
    `,
    'kyc.details.monthlyVolumeAmount': `
      volume mensuel, volume par mois, montant mensuel, chiffre d'affaires mensuel, CA mensuel, volume mensuel de paiements, volume?volume,
      chiffre d'affaires?turnover, CA?turnover
    `,
    'kyc.details.tradingCountry': "pays d'activité, pays d'exercice, pays d'exploitation",
    'kyc.details.tradingName': 'nom commercial, enseigne, dénomination commerciale',
    'kyc.details.website': 'site web, site internet, site?site, adresse web, page web, url du site',
    'parent.name': 'société mère, maison mère, nom de la société mère, groupe?parent',
    'regulators.country': "pays du régulateur, pays de l'autorité, pays de régulation",
    'regulators.isRegulated':
      'régulé, régulée, réglementé, réglementée, est régulé, est régulée, entité régulée, activité réglementée',
    'regulators.licenseNumber': `
      numéro d'agrément?licence, agrément?licence, numéro agrément, numéro de licence?licence, licence?licence, code CIB, numéro ACPR
    `,
    'regulators.name':
      'régulateur, autorité de tutelle, autorité de contrôle, autorité de supervision, autorité, nom du régulateur, superviseur',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'numéro de compte, numéro compte bancaire, n° compte, compte?account, compte bancaire?account, RIB?account',
    'accounts.0.bank':
      'banque, nom de la banque, nom banque, établissement bancaire, domiciliation?domicile, établissement?institute',
    'accounts.0.bankCode': 'code banque, code établissement',
    'accounts.0.bic_swift': 'code BIC, code SWIFT, BIC SWIFT, SWIFT BIC, code BIC SWIFT',
    'accounts.0.country': 'pays de la banque, pays banque, pays du compte',
    'accounts.0.currencies':
      'devise du compte, devise compte, monnaie du compte, devise?currency, devises?currency, monnaie?currency',
    email: 'courriel, adresse e mail, adresse mail, adresse électronique, adresse courriel, mél',
    firstName: 'prénom, prénoms',
    lastName: 'nom de famille, patronyme',
    name: `
      nom?name, raison sociale, dénomination sociale, société, nom de la société, entreprise, bénéficiaire?beneficiary, nom du bénéficiaire,
      nom bénéficiaire, fournisseur, nom du fournisseur, nom fournisseur, titulaire du compte, titulaire, nom du titulaire, destinataire,
      créancier, nom du créancier
    `,
    'parent.name': 'société mère, maison mère',
    paymentReason:
      'motif de paiement, motif du paiement, motif, motif du virement?purpose, objet du paiement, raison du paiement, libellé du virement?purpose',
  },
  subclientKeys: `
    code client, numéro client, numéro de client, n° client, référence client, réf client, identifiant client, id client, client id, code tiers, numéro de dossier,
    référence partenaire, réf partenaire, code partenaire, id partenaire, numéro partenaire
  `,
  counterpartyKeys: `
    code fournisseur, numéro fournisseur, référence fournisseur, réf fournisseur, id fournisseur, référence bénéficiaire, réf bénéficiaire,
    code bénéficiaire, id bénéficiaire, numéro bénéficiaire, identifiant bénéficiaire
  `,
  keys: 'identifiant externe, id externe, référence externe, réf externe, identifiant unique, identifiant, référence, réf, clé, code interne',
  parentKeys:
    'référence société mère, réf société mère, code société mère, id société mère, code client société mère, code client parent, réf parent, id parent',
  ownerKeys:
    "réf propriétaire, code propriétaire, réf donneur d'ordre, code donneur d'ordre, appartient à, client rattaché",
};
