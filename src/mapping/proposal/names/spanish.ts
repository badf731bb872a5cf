/** Spanish names of fields and keys: data, to be extended by whoever meets another one. */
import type { Vocabulary } from './vocabulary.ts';

export const SPANISH: Vocabulary = {
  address: {
    buildingName: 'edificio, nombre del edificio',
    buildingNumber: 'número de calle, número de portal, núm calle',
    country: 'país?country, código país, código de país, país ISO, código ISO país',
    countrySubdivision: 'provincia, comunidad autónoma, departamento?region, estado?state, región?region',
    district: 'distrito, barrio',
    floor: 'piso, planta',
    line: 'dirección, dirección 1, línea de dirección 1, dirección línea 1, domicilio, domicilio social, dirección postal, dirección social, calle y número',
    line2:
      'dirección 2, línea de dirección 2, dirección línea 2, complemento dirección, complemento de dirección',
    postBox: 'apartado de correos, apartado postal',
    postCode: 'código postal, CP, C P, cód postal',
    room: 'despacho, oficina?other',
    streetName: 'calle, nombre de la calle, vía, nombre de vía',
    town: 'ciudad, población, localidad, municipio',
  },
  primary: 'principal, dirección principal, domicilio social, domicilio fiscal, sede, sede social',
  billing: 'facturación, dirección de facturación, factura, domicilio de facturación',
  parties: {
    subclient: 'cliente, empresa, sociedad',
    counterparty: 'beneficiario, proveedor, acreedor, destinatario',
  },
  subclient: {
    'details.alias': 'alias, nombre corto, nombre abreviado, siglas',
    'details.displayName': 'nombre para mostrar, nombre visible, nombre mostrado',
    'details.name': `
      nombre?name, razón social, denominación social, denominación, empresa, nombre de la empresa, nombre empresa, sociedad, nombre de la sociedad,
      nombre legal, nombre fiscal, nombre del cliente, nombre cliente, cliente?party, compañía, organización, entidad?party
    `,
    'details.taxId':
      'CIF, NIF, NIF CIF, CIF NIF, RFC, RUT, RUC, CUIT, identificación fiscal, número de identificación fiscal, identificador fiscal, número fiscal',
    'details.tradeRegistryId': `
      registro mercantil?register, número registro mercantil, número de registro mercantil, número de registro, número registro, inscripción registral,
      hoja registral, número de inscripción
    `,
    'details.vatNumber': `
      número de IVA, número IVA, IVA?vat, NIF IVA?vat, IVA intracomunitario?vat, NIF intracomunitario?vat, NIF IVA intracomunitario?vat, código IVA
    `,
    'internalInformation.notes': 'observaciones, observación, comentario, comentarios, notas, nota',
    'kyc.details.detailedActivityDescription': `
      actividad, descripción de la actividad, descripción actividad, objeto social, actividad principal, actividad económica, actividad de la empresa
    `,
    'kyc.details.hasWebsite': 'tiene web, tiene página web, tiene sitio web',
    'kyc.details.incorporationDate':
      'fecha de constitución, fecha constitución, fecha de fundación, fecha fundación, constituida el, fecha de creación?registration, fecha de inscripción?registration, fecha de registro?registration',
    'kyc.details.industry':
      'sector, sector de actividad, industria, rama de actividad, sector económico, ramo',
    'kyc.details.monthlyPaymentsCount': `
      número de pagos mensuales, pagos mensuales, pagos al mes, pagos por mes, número de pagos al mes, número de pagos por mes, transacciones mensuales,
      número de transacciones mensuales, transacciones por mes, transacciones al mes, operaciones mensuales
    `,
    'kyc.details.monthlyVolumeAmount': `
      volumen mensual, volumen por mes, volumen al mes, importe mensual, facturación mensual, ventas mensuales, volumen mensual de pagos, volumen?volume,
      facturación?turnover, volumen de negocio?turnover
    `,
    'kyc.details.tradingCountry': 'país de actividad, país de operación, país de operaciones',
    'kyc.details.tradingName': 'nombre comercial, marca, marca comercial, rótulo comercial',
    'kyc.details.website': 'página web, sitio web, web, dirección web, url',
    'parent.name': 'empresa matriz, sociedad matriz, matriz, nombre de la matriz, grupo?parent',
    'regulators.country': 'país del regulador, país de regulación',
    'regulators.isRegulated':
      'regulada, regulado, está regulada, está regulado, entidad regulada, supervisada',
    'regulators.licenseNumber':
      'número de licencia?licence, licencia?licence, número licencia?licence, número de autorización?licence',
    'regulators.name':
      'regulador, organismo regulador, autoridad supervisora, supervisor, autoridad reguladora, entidad supervisora, nombre del regulador',
  },
  counterparty: {
    'accounts.0.accountNumber':
      'número de cuenta, número cuenta, nº cuenta, número de cuenta bancaria, CCC, cuenta?account, cuenta bancaria?account, CLABE?account',
    'accounts.0.bank':
      'banco, nombre del banco, nombre banco, entidad bancaria, entidad financiera, entidad?institute',
    'accounts.0.bankCode':
      'código de entidad, código entidad, código banco, código de banco, código del banco',
    'accounts.0.bic_swift': 'código BIC, código SWIFT, BIC SWIFT, SWIFT BIC, código BIC SWIFT',
    'accounts.0.country': 'país del banco, país banco, país de la cuenta, país de la entidad',
    'accounts.0.currencies':
      'moneda de la cuenta, divisa de la cuenta, moneda cuenta, divisa cuenta, moneda?currency, divisa?currency, divisas?currency',
    email: 'correo electrónico, correo, dirección de correo, dirección de correo electrónico, email',
    firstName: 'nombre de pila, primer nombre',
    lastName: 'apellido, apellidos, primer apellido',
    name: `
      nombre?name, razón social, denominación social, empresa, nombre de la empresa, sociedad, beneficiario?beneficiary, nombre del beneficiario,
      nombre beneficiario, proveedor, nombre del proveedor, nombre proveedor, titular, titular de la cuenta, nombre del titular, destinatario, acreedor
    `,
    'parent.name': 'empresa matriz, sociedad matriz',
    paymentReason:
      'motivo del pago, motivo de pago, concepto de pago?purpose, concepto del pago?purpose, concepto?purpose, finalidad del pago',
  },
  subclientKeys: `
    código cliente, código de cliente, cód cliente, número de cliente, número cliente, nº cliente, id cliente, id de cliente, cliente id, referencia cliente,
    referencia del cliente, ref cliente, ref socio, referencia socio, id socio, código socio, código partner, referencia partner, número de socio
  `,
  counterpartyKeys: `
    código proveedor, código de proveedor, cód proveedor, número de proveedor, número proveedor, id proveedor, ref proveedor, referencia proveedor, id beneficiario,
    código beneficiario, ref beneficiario, referencia beneficiario, código acreedor
  `,
  keys: 'id externo, identificador externo, referencia externa, ref externa, identificador único, identificador, referencia, ref, clave, código interno',
  parentKeys:
    'id matriz, código matriz, ref matriz, referencia matriz, código cliente matriz, código de cliente de la matriz, id cliente matriz, id padre',
  ownerKeys: 'ref titular, id titular, código titular, código ordenante, id ordenante, pertenece a',
};
