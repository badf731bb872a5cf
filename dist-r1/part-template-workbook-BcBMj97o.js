import fs from "node:fs";
import { createRequire } from "module";
import Stream, { PassThrough } from "node:stream";
import { Blob, Buffer as Buffer$1 } from "node:buffer";
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/features/getAdditionalContent.js
function _createForOfIteratorHelperLoose$13(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$15(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$15(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$15(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$15(r, a) : void 0;
	}
}
function _arrayLikeToArray$15(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function getAdditionalContent(fileName, features, sheetOptions, properties) {
	var content = "";
	for (var _iterator = _createForOfIteratorHelperLoose$13(features), _step; !(_step = _iterator()).done;) {
		var feature = _step.value;
		var transform = feature.files && feature.files.transform && feature.files.transform[fileName];
		if (transform && transform.insert) {
			var insertedContent = transform.insert(sheetOptions, properties);
			if (insertedContent) content += insertedContent;
		}
	}
	return content;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/features/transformContent.js
function _createForOfIteratorHelperLoose$12(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$14(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$14(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$14(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$14(r, a) : void 0;
	}
}
function _arrayLikeToArray$14(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function transformContent(content, fileName, features, sheetOptions, properties) {
	for (var _iterator = _createForOfIteratorHelperLoose$12(features), _step; !(_step = _iterator()).done;) {
		var feature = _step.value;
		var transform = feature.files && feature.files.transform && feature.files.transform[fileName];
		if (transform && transform.transform) content = transform.transform(content, sheetOptions, properties);
	}
	return content;
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/escapeXmlSpecialCharacters.js
/**
* Escapes a string for including it in XML markup: replaces ">" with "&gt;", etc.
* https://en.wikipedia.org/wiki/Character_encodings_in_HTML#HTML_character_references
* @param  {string} string
* @param  {boolean} options.isAttributeValue — Pass `true` if an XML attribute value is being escaped. Pass `false` otherwise.
* @return {string}
*/
function escapeXmlSpecialCharacters(string, _ref) {
	var isAttributeValue = _ref.isAttributeValue;
	string = replaceAll(string, "&", "&amp;");
	string = replaceAll(string, ">", "&gt;");
	string = replaceAll(string, "<", "&lt;");
	if (isAttributeValue) {
		string = replaceAll(string, "'", "&apos;");
		string = replaceAll(string, "\"", "&quot;");
	}
	return string;
}
function replaceAll(string, replacedSubstring, replacementSubstring) {
	if (string.replaceAll) return string.replaceAll(replacedSubstring, replacementSubstring);
	return string.replace(new RegExp(replacedSubstring, "g"), replacementSubstring);
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/removeInvalidXmlCharacters.js
var INVALID_CHARACTERS = /((?:[\0-\x08\x0B\f\x0E-\x1F\uFFFD\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?:[^\uD800-\uDBFF]|^)[\uDC00-\uDFFF]))/g;
var DISCOURAGED_CHARACTERS = /* @__PURE__ */ new RegExp("([\\x7F-\\x84]|[\\x86-\\x9F]|[\\uFDD0-\\uFDEF]|(?:\\uD83F[\\uDFFE\\uDFFF])|(?:\\uD87F[\\uDFFE\\uDFFF])|(?:\\uD8BF[\\uDFFE\\uDFFF])|(?:\\uD8FF[\\uDFFE\\uDFFF])|(?:\\uD93F[\\uDFFE\\uDFFF])|(?:\\uD97F[\\uDFFE\\uDFFF])|(?:\\uD9BF[\\uDFFE\\uDFFF])|(?:\\uD9FF[\\uDFFE\\uDFFF])|(?:\\uDA3F[\\uDFFE\\uDFFF])|(?:\\uDA7F[\\uDFFE\\uDFFF])|(?:\\uDABF[\\uDFFE\\uDFFF])|(?:\\uDAFF[\\uDFFE\\uDFFF])|(?:\\uDB3F[\\uDFFE\\uDFFF])|(?:\\uDB7F[\\uDFFE\\uDFFF])|(?:\\uDBBF[\\uDFFE\\uDFFF])|(?:\\uDBFF[\\uDFFE\\uDFFF])(?:[\\0-\\t\\x0B\\f\\x0E-\\u2027\\u202A-\\uD7FF\\uE000-\\uFFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?:[^\\uD800-\\uDBFF]|^)[\\uDC00-\\uDFFF]))", "g");
/**
* Removes "invalid" or "discouraged" XML characters from a string.
* "Invalid" characters are "C0 control characters" or "surrogate blocks" ("non-characters" and "surrogate pairs").
* "Discouraged" characters are the ones that're officially discouraged from use in XML documents by the XML specification.
* @param {string} string - a string containing potentially invalid XML characters (non-UTF8 characters, STX, EOX etc)
* @return {string} a sanitized string stripped of invalid (and by default also discouraged) XML characters
*/
function removeInvalidXmlCharacters(string) {
	string = string.replace(INVALID_CHARACTERS, "");
	string = string.replace(DISCOURAGED_CHARACTERS, "");
	return string;
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/sanitizeAttributeValue.js
/**
* Removes invalid characters and escapes "speciaL" characters in an XML attribute's value.
* @param {string} attributeValue
* @returns {string}
*/
function sanitizeAttributeValue(attributeValue) {
	if (typeof attributeValue !== "string") throw new TypeError("Argument must be a string");
	attributeValue = removeInvalidXmlCharacters(attributeValue);
	return escapeXmlSpecialCharacters(attributeValue, { isAttributeValue: true });
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/sanitizeAttributeName.js
/**
* Removes invalid characters and escapes "speciaL" characters in an XML attribute's name.
* @param {string} attributeName
* @returns {string}
*/
function sanitizeAttributeName(attributeName) {
	if (typeof attributeName !== "string") throw new TypeError("Argument must be a string");
	attributeName = removeInvalidXmlCharacters(attributeName);
	return attributeName.replace(/[^a-zA-Z_0-9-.:]/g, "").replace(/^[^a-zA-Z_]+/, "");
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getAttributesString.js
/**
* Converts an object with XML attribute values to a string.
* Examples:
* { a: 'b', c: 'd' } → ' a="b" c="d"'
* {} → ''
* @param {object} attributes
* @returns {string}
*/
function getAttributesString(attributes) {
	return Object.keys(attributes).map(function(name) {
		return "".concat(sanitizeAttributeName(name), "=\"").concat(sanitizeAttributeValue(String(attributes[name])), "\"");
	}).reduce(function(combined, part) {
		return combined + " " + part;
	}, "");
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getOpeningTagMarkup.js
/**
* Returns XML for an "opening tag" with a given `tagName` and optional `attributes`.
* @param {string} tagName
* @param {object} [attributes]
* @returns {string}
*/
function getOpeningTagMarkup(tagName, attributes) {
	return "<" + tagName + (attributes ? getAttributesString(attributes) : "") + ">";
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getClosingTagMarkup.js
/**
* Returns XML for a "closing tag" with a given `tagName`.
* @param {string} tagName
* @returns {string}
*/
function getClosingTagMarkup(tagName) {
	return "</" + tagName + ">";
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getSelfClosingTagMarkup.js
/**
* Returns XML for an element with a given `tagName`, optional `attributes` and no child elements.
* @param {string} tagName
* @param {object} [attributes]
* @returns {string}
*/
function getSelfClosingTagMarkup(tagName, attributes) {
	return getOpeningTagMarkup(tagName, attributes).slice(0, -1) + "/>";
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/features/getElementXml.js
function _createForOfIteratorHelperLoose$11(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$13(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$13(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$13(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$13(r, a) : void 0;
	}
}
function _arrayLikeToArray$13(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function getElementXml(fileName, tagName, attributes, innerXml, index, properties, sheetOptionsOrSheetsOptions, features) {
	for (var _iterator = _createForOfIteratorHelperLoose$11(features), _step; !(_step = _iterator()).done;) {
		var feature = _step.value;
		var transform = feature.files && feature.files.transform && feature.files.transform[fileName];
		if (transform && transform.transformElementAttributes) attributes = transform.transformElementAttributes(tagName, attributes || NO_ATTRIBUTES, index, sheetOptionsOrSheetsOptions, properties);
	}
	if (innerXml) return getOpeningTagMarkup(tagName, attributes) + innerXml + getClosingTagMarkup(tagName);
	else return getSelfClosingTagMarkup(tagName, attributes);
}
var NO_ATTRIBUTES = {};
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/workbook.xml.js
function generateWorkbookXml(_ref) {
	var sheetIdsAndNames = _ref.sheetIdsAndNames, features = _ref.features, sheetsOptions = _ref.sheetsOptions;
	/**
	* Creates XML tag markup.
	* @param {string} tagName
	* @param {object} attributes
	* @param {string} [innerXml]
	* @param {number} [index]
	* @returns {string}
	*/
	var tag = function tag(tagName, attributes, innerXml, index) {
		return getElementXml("xl/workbook.xml", tagName, attributes, innerXml, index, EMPTY_OBJECT, sheetsOptions, features);
	};
	var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" xmlns:mx=\"http://schemas.microsoft.com/office/mac/excel/2008/main\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:mv=\"urn:schemas-microsoft-com:mac:vml\" xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" xmlns:x14ac=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac\" xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\">" + tag("workbookPr") + tag("bookViews", null, tag("workbookView", null, null, 0)) + tag("sheets", null, sheetIdsAndNames.map(function(_ref2, i) {
		var sheetId = _ref2.sheetId, sheetName = _ref2.sheetName;
		return tag("sheet", {
			"r:id": "rId".concat(sheetId),
			sheetId,
			name: sheetName
		}, null, i);
	}).join("")) + tag("definedNames") + tag("calcPr") + getAdditionalContent("xl/workbook.xml", features, sheetsOptions) + "</workbook>";
	xml = transformContent(xml, "xl/workbook.xml", features, sheetsOptions);
	return xml;
}
var EMPTY_OBJECT = {};
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/workbook.xml.rels.js
function generateWorkbookXmlRels(_ref) {
	var sheetIds = _ref.sheetIds, features = _ref.features, sheetsOptions = _ref.sheetsOptions;
	var xml = "<?xml version=\"1.0\" ?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" + sheetIds.map(function(id) {
		return "<Relationship Id=\"rId".concat(id, "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet").concat(id, ".xml\"/>");
	}).join("") + "<Relationship Id=\"rId".concat(sheetIds.length + 1, "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings\" Target=\"sharedStrings.xml\"/>") + "<Relationship Id=\"rId".concat(sheetIds.length + 2, "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/>") + getAdditionalContent("xl/_rels/workbook.xml.rels", features, sheetsOptions) + "</Relationships>";
	xml = transformContent(xml, "xl/_rels/workbook.xml.rels", features, sheetsOptions);
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/rels.js
function generateRelsXml(_ref) {
	var features = _ref.features, sheetsOptions = _ref.sheetsOptions;
	var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId-workbook-1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/>" + getAdditionalContent("_rels/.rels", features, sheetsOptions) + "</Relationships>";
	xml = transformContent(xml, "_rels/.rels", features, sheetsOptions);
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/[Content_Types].xml.js
function generateContentTypesXml(_ref) {
	var sheetIds = _ref.sheetIds, features = _ref.features, sheetsOptions = _ref.sheetsOptions;
	var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default ContentType=\"application/xml\" Extension=\"xml\"/><Default ContentType=\"application/vnd.openxmlformats-package.relationships+xml\" Extension=\"rels\"/><Override ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\" PartName=\"/xl/workbook.xml\"/><Override ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml\" PartName=\"/xl/sharedStrings.xml\"/><Override ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\" PartName=\"/xl/styles.xml\"/>" + sheetIds.map(function(sheetId) {
		return "<Override ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\" PartName=\"/xl/worksheets/sheet".concat(sheetId, ".xml\"/>");
	}).join("") + sheetIds.map(function(sheetId) {
		return getDrawingContentTypeXml(sheetId);
	}).join("") + getAdditionalContent("[Content_Types].xml", features, sheetsOptions) + "</Types>";
	xml = transformContent(xml, "[Content_Types].xml", features, sheetsOptions);
	return xml;
}
function getDrawingContentTypeXml(sheetId) {
	return "<Override ContentType=\"application/vnd.openxmlformats-officedocument.drawing+xml\" PartName=\"/xl/drawings/drawing".concat(sheetId, ".xml\"/>");
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/drawing.xml.js
function generateDrawingXml(_ref) {
	var sheetIndex = _ref.sheetIndex, sheetId = _ref.sheetId, sheetOptions = _ref.sheetOptions, features = _ref.features;
	var xml = DRAWING_XML_START + getAdditionalContent("xl/drawings/drawing{id}.xml", features, sheetOptions, {
		sheetIndex,
		sheetId
	}) + DRAWING_XML_END;
	xml = transformContent(xml, "xl/drawings/drawing{id}.xml", features, sheetOptions, {
		sheetIndex,
		sheetId
	});
	return xml;
}
var DRAWING_XML_START = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><xdr:wsDr xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\">";
var DRAWING_XML_END = "</xdr:wsDr>";
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/drawing.xml.rels.js
function generateDrawingXmlRels(_ref) {
	var sheetIndex = _ref.sheetIndex, sheetId = _ref.sheetId, sheetOptions = _ref.sheetOptions, features = _ref.features;
	var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" + getAdditionalContent("xl/drawings/_rels/drawing{id}.xml.rels", features, sheetOptions, {
		sheetIndex,
		sheetId
	}) + "</Relationships>";
	xml = transformContent(xml, "xl/drawings/_rels/drawing{id}.xml.rels", features, sheetOptions, {
		sheetIndex,
		sheetId
	});
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/sheetViews.js
function generateSheetViews(tag, viewProperties, sheetIndex) {
	if (!hasView(viewProperties)) return "";
	var showGridLines = viewProperties.showGridLines, rightToLeft = viewProperties.rightToLeft, zoomScale = viewProperties.zoomScale;
	var sheetViewAttributes = {
		tabSelected: sheetIndex === 0 ? 1 : 0,
		workbookViewId: 0
	};
	if (showGridLines === false) sheetViewAttributes.showGridLines = false;
	if (rightToLeft) sheetViewAttributes.rightToLeft = 1;
	if (typeof zoomScale === "number") sheetViewAttributes.zoomScale = Math.round(zoomScale * 100);
	return tag("sheetViews", null, tag("sheetView", sheetViewAttributes, null, 0));
}
function hasView(_ref) {
	var showGridLines = _ref.showGridLines, rightToLeft = _ref.rightToLeft, zoomScale = _ref.zoomScale;
	return showGridLines === false || rightToLeft || typeof zoomScale === "number";
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/column.js
function generateColumnDescription(tag, column, index) {
	if (!column) return "";
	var width = column.width;
	if (!width) return "";
	var columnNumber = index + 1;
	return tag("col", {
		min: columnNumber,
		max: columnNumber,
		width,
		customWidth: 1
	}, null, index);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/columns.js
function generateColumnsDescription(tag, columns) {
	if (columns) {
		var columnsXml = columns.map(function(column, index) {
			return generateColumnDescription(tag, column, index);
		}).join("");
		if (columnsXml) return tag("cols", null, columnsXml);
	}
	return "";
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/sanitizeTextContent.js
/**
* Removes invalid characters and escapes "speciaL" characters in an XML element's text content.
* @param {string} textContent
* @returns {string}
*/
function sanitizeTextContent(textContent) {
	if (typeof textContent !== "string") throw new TypeError("Argument must be a string");
	textContent = removeInvalidXmlCharacters(textContent);
	return escapeXmlSpecialCharacters(textContent, { isAttributeValue: false });
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getCellAddress.js
/**
* Gets spreadsheet cell string coordinate from row index and column index.
* @param {number} rowIndex
* @param {number} columnIndex
* @returns {string}
*/
function getCellAddress(rowIndex, columnIndex) {
	return "".concat(getColumnLetter(columnIndex)).concat(rowIndex + 1);
}
var LETTERS_COUNT = 26;
function getColumnLetter(columnIndex) {
	if (typeof columnIndex !== "number") return "";
	var prefix = Math.floor(columnIndex / LETTERS_COUNT);
	var letter = String.fromCharCode(97 + columnIndex % LETTERS_COUNT).toUpperCase();
	if (prefix === 0) return letter;
	return getColumnLetter(prefix - 1) + letter;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/convertDateToSerialNumber.js
var daysBeforeUnixEpoch = 25569;
var day = 864e5;
/**
* Converts a `Date` into an XLSX "serial" number.
* @param {Date} date
* @returns {number}
*/
function convertDateToSerialNumber(date) {
	return date.getTime() / day + daysBeforeUnixEpoch;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/cell.js
function _slicedToArray$1(r, e) {
	return _arrayWithHoles$1(r) || _iterableToArrayLimit$1(r, e) || _unsupportedIterableToArray$12(r, e) || _nonIterableRest$1();
}
function _nonIterableRest$1() {
	throw new TypeError("Invalid attempt to destructure non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$12(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$12(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$12(r, a) : void 0;
	}
}
function _arrayLikeToArray$12(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function _iterableToArrayLimit$1(r, l) {
	var t = null == r ? null : "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (null != t) {
		var e, n, i, u, a = [], f = !0, o = !1;
		try {
			if (i = (t = t.call(r)).next, 0 === l) {
				if (Object(t) !== t) return;
				f = !1;
			} else for (; !(f = (e = i.call(t)).done) && (a.push(e.value), a.length !== l); f = !0);
		} catch (r) {
			o = !0, n = r;
		} finally {
			try {
				if (!f && null != t["return"] && (u = t["return"](), Object(u) !== u)) return;
			} finally {
				if (o) throw n;
			}
		}
		return a;
	}
}
function _arrayWithHoles$1(r) {
	if (Array.isArray(r)) return r;
}
function generateCell(tag, _ref, index, rowIndex) {
	var value = _ref.value, type = _ref.type, cellStyleId = _ref.cellStyleId, findOrCreateSharedString = _ref.findOrCreateSharedString;
	if (value === null) {
		if (cellStyleId === void 0) return "";
	}
	var cellAttributes = { r: getCellAddress(rowIndex, index) };
	if (cellStyleId !== void 0) cellAttributes.s = String(cellStyleId);
	if (value === null) return tag("c", cellAttributes, null, index);
	if (type === Date && cellStyleId === void 0) throw new Error("No `format` was specified for a `Date` value in a cell in row ".concat(rowIndex + 1, " column ").concat(index + 1, ". Either specify a `format` for this cell or specify a default global one by passing `dateFormat` option to `writeXlsxFile()` function"));
	var valueTextContent = getValueTextContent(type, value, findOrCreateSharedString);
	var typeAttribute = getTypeAttribute(type);
	if (typeAttribute) cellAttributes.t = typeAttribute;
	var _getOpeningAndClosing2 = _slicedToArray$1(getOpeningAndClosingTags(type), 2), valueOpeningTags = _getOpeningAndClosing2[0], valueClosingTags = _getOpeningAndClosing2[1];
	return tag("c", cellAttributes, valueOpeningTags + valueTextContent + valueClosingTags, index);
}
function getTypeAttribute(type) {
	switch (type) {
		case String: return "s";
		case Number: return;
		case Date: return;
		case Boolean: return "b";
		case "Formula": return;
		default: throw new Error("Unknown type: ".concat(type && type.name || type));
	}
}
function getValueTextContent(type, value, findOrCreateSharedString) {
	switch (type) {
		case String:
			if (typeof value !== "string") throw new Error("Invalid cell value: ".concat(value, ". Expected a string"));
			return findOrCreateSharedString(value);
		case Number:
			if (typeof value !== "number") throw new Error("Invalid cell value: ".concat(value, ". Expected a number"));
			return String(value);
		case Date:
			if (!(value instanceof Date)) throw new Error("Invalid cell value: ".concat(value, ". Expected a Date"));
			return String(convertDateToSerialNumber(value));
		case Boolean:
			if (typeof value !== "boolean") throw new Error("Invalid cell value: ".concat(value, ". Expected a boolean"));
			return value ? "1" : "0";
		case "Formula":
			if (typeof value !== "string") throw new Error("Invalid cell value: ".concat(value, ". Expected a string"));
			return sanitizeTextContent(value);
		default: throw new Error("Unknown type: ".concat(type && type.name || type));
	}
}
var TAG_BRACKET_LEFT_REGEXP = /</g;
function getOpeningAndClosingTags(type) {
	var openingTags = getOpeningTags(type);
	return [openingTags, openingTags.replace(TAG_BRACKET_LEFT_REGEXP, "</")];
}
function getOpeningTags(type) {
	switch (type) {
		case "Formula": return "<f>";
		default: return "<v>";
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/hasAlignment.js
function hasAlignment(_ref) {
	var align = _ref.align, alignVertical = _ref.alignVertical, textRotation = _ref.textRotation, indent = _ref.indent, wrap = _ref.wrap;
	return Boolean(align || alignVertical || typeof textRotation === "number" || indent || wrap);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/hasBorder.js
function hasBorder(_ref) {
	var borderColor = _ref.borderColor, borderStyle = _ref.borderStyle, leftBorderColor = _ref.leftBorderColor, leftBorderStyle = _ref.leftBorderStyle, rightBorderColor = _ref.rightBorderColor, rightBorderStyle = _ref.rightBorderStyle, topBorderColor = _ref.topBorderColor, topBorderStyle = _ref.topBorderStyle, bottomBorderColor = _ref.bottomBorderColor, bottomBorderStyle = _ref.bottomBorderStyle;
	return Boolean(borderColor || borderStyle || leftBorderColor || leftBorderStyle || rightBorderColor || rightBorderStyle || topBorderColor || topBorderStyle || bottomBorderColor || bottomBorderStyle);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/hasFill.js
function hasFill(_ref) {
	var backgroundColor = _ref.backgroundColor, fillPatternStyle = _ref.fillPatternStyle, fillPatternColor = _ref.fillPatternColor;
	return Boolean(backgroundColor || fillPatternStyle && fillPatternColor);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/hasFont.js
function hasFont(_ref) {
	var fontFamily = _ref.fontFamily, fontSize = _ref.fontSize, fontWeight = _ref.fontWeight, fontStyle = _ref.fontStyle, textDecoration = _ref.textDecoration, textColor = _ref.textColor;
	return Boolean(fontFamily || typeof fontSize === "number" || fontWeight || fontStyle || textDecoration && Object.keys(textDecoration).length > 0 || textColor);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/helpers/getCellStyleProperties.js
function getCellStyleProperties(cell, features) {
	var align = cell.align, alignVertical = cell.alignVertical, textRotation = cell.textRotation, indent = cell.indent, wrap = cell.wrap, fontFamily = cell.fontFamily, fontSize = cell.fontSize, fontWeight = cell.fontWeight, fontStyle = cell.fontStyle, textDecoration = cell.textDecoration, textColor = cell.textColor, backgroundColor = cell.backgroundColor, fillPatternStyle = cell.fillPatternStyle, fillPatternColor = cell.fillPatternColor, borderColor = cell.borderColor, borderStyle = cell.borderStyle, leftBorderColor = cell.leftBorderColor, leftBorderStyle = cell.leftBorderStyle, rightBorderColor = cell.rightBorderColor, rightBorderStyle = cell.rightBorderStyle, topBorderColor = cell.topBorderColor, topBorderStyle = cell.topBorderStyle, bottomBorderColor = cell.bottomBorderColor, bottomBorderStyle = cell.bottomBorderStyle;
	if (hasAlignment({
		align,
		alignVertical,
		textRotation,
		indent,
		wrap
	}) || hasFont({
		fontFamily,
		fontSize,
		fontWeight,
		fontStyle,
		textDecoration,
		textColor
	}) || hasFill({
		backgroundColor,
		fillPatternStyle,
		fillPatternColor
	}) || hasBorder({
		borderColor,
		borderStyle,
		leftBorderColor,
		leftBorderStyle,
		rightBorderColor,
		rightBorderStyle,
		topBorderColor,
		topBorderStyle,
		bottomBorderColor,
		bottomBorderStyle
	})) return omitUndefinedProperties({
		align,
		alignVertical,
		textRotation,
		indent,
		wrap,
		fontFamily,
		fontSize,
		fontWeight,
		fontStyle,
		textDecoration,
		textColor,
		backgroundColor,
		fillPatternStyle,
		fillPatternColor,
		borderColor,
		borderStyle,
		leftBorderColor,
		leftBorderStyle,
		rightBorderColor,
		rightBorderStyle,
		topBorderColor,
		topBorderStyle,
		bottomBorderColor,
		bottomBorderStyle
	});
}
function omitUndefinedProperties(object) {
	var filteredObject = {};
	for (var key in object) if (object[key] !== void 0) filteredObject[key] = object[key];
	return filteredObject;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/isObject.js
var objectConstructor = {}.constructor;
function isObject(object) {
	return object !== void 0 && object !== null && object.constructor === objectConstructor;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/isCellObject.js
/**
* Tells if a cell in sheet data is a simple value like `1` or "abc"
* or if it's a fully-specified object like `{ value: "abc", type: String, ... }`.
* https://gitlab.com/catamphetamine/write-excel-file/-/issues/107
* @returns {boolean}
*/
function isCellObject(cell) {
	return isObject(cell);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/row.js
function _typeof$4(o) {
	"@babel/helpers - typeof";
	return _typeof$4 = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o) {
		return typeof o;
	} : function(o) {
		return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o;
	}, _typeof$4(o);
}
function ownKeys$4(e, r) {
	var t = Object.keys(e);
	if (Object.getOwnPropertySymbols) {
		var o = Object.getOwnPropertySymbols(e);
		r && (o = o.filter(function(r) {
			return Object.getOwnPropertyDescriptor(e, r).enumerable;
		})), t.push.apply(t, o);
	}
	return t;
}
function _objectSpread$4(e) {
	for (var r = 1; r < arguments.length; r++) {
		var t = null != arguments[r] ? arguments[r] : {};
		r % 2 ? ownKeys$4(Object(t), !0).forEach(function(r) {
			_defineProperty$4(e, r, t[r]);
		}) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(t)) : ownKeys$4(Object(t)).forEach(function(r) {
			Object.defineProperty(e, r, Object.getOwnPropertyDescriptor(t, r));
		});
	}
	return e;
}
function _defineProperty$4(e, r, t) {
	return (r = _toPropertyKey$4(r)) in e ? Object.defineProperty(e, r, {
		value: t,
		enumerable: !0,
		configurable: !0,
		writable: !0
	}) : e[r] = t, e;
}
function _toPropertyKey$4(t) {
	var i = _toPrimitive$4(t, "string");
	return "symbol" == _typeof$4(i) ? i : i + "";
}
function _toPrimitive$4(t, r) {
	if ("object" != _typeof$4(t) || !t) return t;
	var e = t[Symbol.toPrimitive];
	if (void 0 !== e) {
		var i = e.call(t, r || "default");
		if ("object" != _typeof$4(i)) return i;
		throw new TypeError("@@toPrimitive must return a primitive value.");
	}
	return ("string" === r ? String : Number)(t);
}
function _createForOfIteratorHelperLoose$10(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$11(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$11(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$11(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$11(r, a) : void 0;
	}
}
function _arrayLikeToArray$11(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function generateRow(tag, row, index, parameters) {
	var rowHeight;
	for (var _iterator = _createForOfIteratorHelperLoose$10(row), _step; !(_step = _iterator()).done;) {
		var cell = _step.value;
		if (isCellObject(cell)) {
			if (cell.height) {
				if (rowHeight === void 0 || rowHeight < cell.height) rowHeight = cell.height;
			}
		}
	}
	var rowIndex = index;
	var rowCellsXml = row.map(function(cell, index) {
		return getCellXml(tag, cell, index, rowIndex, parameters);
	}).join("");
	var rowAttributes = { r: index + 1 };
	if (rowHeight) {
		rowAttributes.ht = rowHeight;
		rowAttributes.customHeight = 1;
	}
	return tag("row", rowAttributes, rowCellsXml, index);
}
function getCellXml(tag, cell, index, rowIndex, _ref) {
	var findOrCreateCellStyle = _ref.findOrCreateCellStyle, findOrCreateSharedString = _ref.findOrCreateSharedString, hasDefaultFont = _ref.hasDefaultFont, dateFormat = _ref.dateFormat, features = _ref.features;
	if (cell === void 0 || cell === null) return "";
	var cellObject = isCellObject(cell) ? cell : { value: cell };
	var cellStyleProperties = getCellStyleProperties(cellObject, features);
	var type = cellObject.type, value = cellObject.value, format = cellObject.format;
	if (isEmpty(value)) value = null;
	else if (type === void 0) {
		type = detectValueType(value);
		if (type === void 0) {
			type = String;
			value = String(value);
		}
	}
	if (format) {
		if (type !== Date && type !== Number && type !== String && type !== "Formula") throw new Error("`format` \"".concat(format, "\" was specified on a cell of type `").concat(type, "`. `format` could only be specified on a cell of type `Date`, `Number`, `String` or `\"Formula\"`."));
		if (type === String && format !== "@") throw new Error("`format` \"".concat(format, "\" was specified on a cell of type `String`. The only supported `format` for a cell of type `String` is \"@\"."));
	} else if (type === Date) format = dateFormat;
	var hasFormat = Boolean(format);
	var hasCellStyle = Boolean(cellStyleProperties);
	var cellStyleId;
	if (hasDefaultFont || hasFormat || hasCellStyle) cellStyleId = findOrCreateCellStyle(_objectSpread$4({ format }, cellStyleProperties));
	return generateCell(tag, {
		value,
		type,
		cellStyleId,
		findOrCreateSharedString
	}, index, rowIndex);
}
function isEmpty(value) {
	return value === void 0 || value === null || value === "";
}
function detectValueType(value) {
	switch (_typeof$4(value)) {
		case "string": return String;
		case "number": return Number;
		case "boolean": return Boolean;
		default: if (value instanceof Date) return Date;
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/sheetData.js
function generateSheetData(tag, sheetData, parameters) {
	return tag("sheetData", null, sheetData.map(function(row, index) {
		return generateRow(tag, row, index, parameters);
	}).join(""));
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/processMergedCells.js
function processMergedCells(sheetData, features) {
	var mergedCells = [];
	var _cloneSheetData = function cloneSheetData() {
		sheetData = sheetData.slice();
		var i = 0;
		while (i < sheetData.length) {
			sheetData[i] = sheetData[i].slice();
			i++;
		}
		_cloneSheetData = function cloneSheetData() {
			return sheetData;
		};
		return sheetData;
	};
	var rowIndex = 0;
	while (rowIndex < sheetData.length) {
		var row = sheetData[rowIndex];
		var columnIndex = 0;
		while (columnIndex < row.length) {
			var cell = row[columnIndex];
			if (cell) {
				var _cell$rowSpan = cell.rowSpan, rowSpan = _cell$rowSpan === void 0 ? 1 : _cell$rowSpan;
				var columnSpan = typeof cell.span === "number" ? cell.span : cell.columnSpan;
				if (typeof columnSpan !== "number") columnSpan = 1;
				if (columnSpan > 1 || rowSpan > 1) {
					processSpanningCells(sheetData, rowIndex, columnIndex, columnSpan, rowSpan, _cloneSheetData, features);
					mergedCells.push([[rowIndex, columnIndex], [rowIndex + (rowSpan ? rowSpan - 1 : 0), columnIndex + (columnSpan ? columnSpan - 1 : 0)]]);
				}
			}
			columnIndex++;
		}
		rowIndex++;
	}
	return {
		sheetData,
		mergedCells
	};
}
function processSpanningCells(sheetData, rowIndex, columnIndex, columnSpan, rowSpan, cloneSheetData, features) {
	var cellStyleProperties = getCellStyleProperties(sheetData[rowIndex][columnIndex], features);
	if (cellStyleProperties) sheetData = cloneSheetData();
	var i = rowIndex;
	while (i <= rowIndex + (rowSpan - 1)) {
		var j = columnIndex;
		while (j <= columnIndex + (columnSpan - 1)) {
			var cell = sheetData[i][j];
			if (i > rowIndex || j > columnIndex) {
				if (cell !== null && cell !== void 0) throw new Error("[write-excel-file] When using `columnSpan` or `rowSpan` parameters, all hidden overlapped cells should be represented by `null`s or `undefined`s. Cell at row ".concat(rowIndex + 1, " and column ").concat(columnIndex + 1, " is configured with `columnSpan` ").concat(columnSpan, " and `rowSpan` ").concat(rowSpan, ". Cell at row ").concat(i + 1, " and column ").concat(j + 1, " is neither `null` nor `undefined`: ").concat(JSON.stringify(cell)));
				if (cellStyleProperties) sheetData[i][j] = cellStyleProperties;
			}
			j++;
		}
		i++;
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/mergedCellsDescription.js
function _slicedToArray(r, e) {
	return _arrayWithHoles(r) || _iterableToArrayLimit(r, e) || _unsupportedIterableToArray$10(r, e) || _nonIterableRest();
}
function _nonIterableRest() {
	throw new TypeError("Invalid attempt to destructure non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$10(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$10(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$10(r, a) : void 0;
	}
}
function _arrayLikeToArray$10(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function _iterableToArrayLimit(r, l) {
	var t = null == r ? null : "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (null != t) {
		var e, n, i, u, a = [], f = !0, o = !1;
		try {
			if (i = (t = t.call(r)).next, 0 === l) {
				if (Object(t) !== t) return;
				f = !1;
			} else for (; !(f = (e = i.call(t)).done) && (a.push(e.value), a.length !== l); f = !0);
		} catch (r) {
			o = !0, n = r;
		} finally {
			try {
				if (!f && null != t["return"] && (u = t["return"](), Object(u) !== u)) return;
			} finally {
				if (o) throw n;
			}
		}
		return a;
	}
}
function _arrayWithHoles(r) {
	if (Array.isArray(r)) return r;
}
function generateMergedCellsDescription(tag, mergedCells) {
	if (mergedCells.length === 0) return "";
	var mergeCellsXml = mergedCells.map(function(_ref, index) {
		var _ref2 = _slicedToArray(_ref, 2), from = _ref2[0], to = _ref2[1];
		return tag("mergeCell", { ref: getCellAddress(from[0], from[1]) + ":" + getCellAddress(to[0], to[1]) }, null, index);
	}).join("");
	return tag("mergeCells", { count: mergedCells.length }, mergeCellsXml);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/pageMargins.js
function generatePageMargins(tag, _ref) {
	if (_ref.orientation) return tag("pageMargins", {
		left: .7,
		right: .7,
		top: .75,
		bottom: .75,
		header: .3,
		footer: .3
	});
	return "";
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/pageSetup.js
function generatePageSetup(tag, _ref) {
	var orientation = _ref.orientation;
	if (orientation) return tag("pageSetup", {
		paperSize: 9,
		orientation: sanitizeAttributeValue(orientation)
	});
	return "";
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/drawingReference.js
function generateDrawingReference(tag) {
	return tag("drawing", { "r:id": "rId-drawing-1" });
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml/sheet.xml.js
function generateSheetXml(sheetXmlParameters, features) {
	var sheetData_ = sheetXmlParameters.sheetData, sheetOptions = sheetXmlParameters.sheetOptions, sheetIndex = sheetXmlParameters.sheetIndex, sheetId = sheetXmlParameters.sheetId, hasDefaultFont = sheetXmlParameters.hasDefaultFont, findOrCreateCellStyle = sheetXmlParameters.findOrCreateCellStyle, findOrCreateSharedString = sheetXmlParameters.findOrCreateSharedString;
	var columns = sheetOptions.columns, dateFormat = sheetOptions.dateFormat, orientation = sheetOptions.orientation, showGridLines = sheetOptions.showGridLines, rightToLeft = sheetOptions.rightToLeft, zoomScale = sheetOptions.zoomScale;
	var _processMergedCells = processMergedCells(sheetData_, { features }), sheetData = _processMergedCells.sheetData, mergedCells = _processMergedCells.mergedCells;
	var tagFunctionProperties = {
		sheetIndex,
		sheetId
	};
	/**
	* Creates XML tag markup.
	* @param {string} tagName
	* @param {object} attributes
	* @param {string} [innerXml]
	* @param {number} [index]
	* @returns {string}
	*/
	var tag = function tag(tagName, attributes, innerXml, index) {
		return getElementXml("xl/worksheets/sheet{id}.xml", tagName, attributes, innerXml, index, tagFunctionProperties, sheetOptions, features);
	};
	var xml = "<?xml version=\"1.0\" ?><worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:mv=\"urn:schemas-microsoft-com:mac:vml\" xmlns:mx=\"http://schemas.microsoft.com/office/mac/excel/2008/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" xmlns:x14=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/main\" xmlns:x14ac=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac\" xmlns:xm=\"http://schemas.microsoft.com/office/excel/2006/main\">" + generateSheetViews(tag, {
		showGridLines,
		rightToLeft,
		zoomScale
	}, sheetIndex) + generateColumnsDescription(tag, columns) + generateSheetData(tag, sheetData, {
		findOrCreateCellStyle,
		findOrCreateSharedString,
		hasDefaultFont,
		dateFormat,
		features
	}) + generateMergedCellsDescription(tag, mergedCells) + generatePageMargins(tag, { orientation }) + generatePageSetup(tag, { orientation }) + generateDrawingReference(tag) + getAdditionalContent("xl/worksheets/sheet{id}.xml", features, sheetOptions, {
		sheetIndex,
		sheetId
	}) + "</worksheet>";
	xml = transformContent(xml, "xl/worksheets/sheet{id}.xml", features, sheetOptions, {
		sheetIndex,
		sheetId
	});
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sheet.xml.rels.js
function generateSheetXmlRels(_ref) {
	var sheetIndex = _ref.sheetIndex, sheetId = _ref.sheetId, sheetOptions = _ref.sheetOptions, features = _ref.features;
	var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">" + getDrawingRelationshipXml(sheetId) + getAdditionalContent("xl/worksheets/_rels/sheet{id}.xml.rels", features, sheetOptions, {
		sheetIndex,
		sheetId
	}) + "</Relationships>";
	xml = transformContent(xml, "xl/worksheets/_rels/sheet{id}.xml.rels", features, sheetOptions, {
		sheetIndex,
		sheetId
	});
	return xml;
}
function getDrawingRelationshipXml(sheetId) {
	return "<Relationship Id=\"rId-drawing-1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing\" Target=\"../drawings/drawing".concat(sheetId, ".xml\"/>");
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/sharedStrings.xml.js
function _createForOfIteratorHelperLoose$9(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$9(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$9(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$9(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$9(r, a) : void 0;
	}
}
function _arrayLikeToArray$9(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function generateSharedStringsXml(sharedStrings) {
	var xml = "<?xml version=\"1.0\"?>";
	xml += "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">";
	for (var _iterator = _createForOfIteratorHelperLoose$9(sharedStrings), _step; !(_step = _iterator()).done;) {
		var string = _step.value;
		var attributes = string.trim().length === string.length ? "" : " xml:space=\"preserve\"";
		xml += "<si><t".concat(attributes, ">");
		xml += sanitizeTextContent(string);
		xml += "</t></si>";
	}
	xml += "</sst>";
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getXlsxColorForHexColor.js
function getXlsxColorForHexColor(color) {
	if (color[0] !== "#") throw new Error("Color \"".concat(color, "\" must start with a \"#\""));
	return "FF".concat(color.slice(1).toUpperCase());
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getFillXml.js
function getFillXml(fill) {
	var conditionalFormatting = (arguments.length > 1 && arguments[1] !== void 0 ? arguments[1] : {}).conditionalFormatting;
	var backgroundColor = fill.backgroundColor, fillPatternStyle = fill.fillPatternStyle, fillPatternColor = fill.fillPatternColor;
	var isSolidFill = !fillPatternStyle || fillPatternStyle === "solid";
	if (!hasFill(fill)) return "<fill><patternFill patternType=\"none\"/></fill>";
	var xml = "<fill>";
	xml += "<patternFill patternType=\"".concat(isSolidFill ? "solid" : fillPatternStyle, "\">");
	xml += "<fgColor rgb=\"".concat(sanitizeAttributeValue(getXlsxColorForHexColor(isSolidFill ? backgroundColor : fillPatternColor)), "\"/>");
	xml += "<bgColor ".concat(isSolidFill && !conditionalFormatting ? "indexed=\"64\"" : "rgb=\"" + sanitizeAttributeValue(getXlsxColorForHexColor(backgroundColor)) + "\"", "/>");
	xml += "</patternFill>";
	xml += "</fill>";
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getBorderXml.js
function getBorderXml(_ref) {
	var borderColor = _ref.borderColor, borderStyle = _ref.borderStyle, leftBorderColor = _ref.leftBorderColor, leftBorderStyle = _ref.leftBorderStyle, rightBorderColor = _ref.rightBorderColor, rightBorderStyle = _ref.rightBorderStyle, topBorderColor = _ref.topBorderColor, topBorderStyle = _ref.topBorderStyle, bottomBorderColor = _ref.bottomBorderColor, bottomBorderStyle = _ref.bottomBorderStyle;
	var left = {
		style: leftBorderStyle || borderStyle,
		color: leftBorderColor || borderColor
	};
	var right = {
		style: rightBorderStyle || borderStyle,
		color: rightBorderColor || borderColor
	};
	var top = {
		style: topBorderStyle || borderStyle,
		color: topBorderColor || borderColor
	};
	var bottom = {
		style: bottomBorderStyle || borderStyle,
		color: bottomBorderColor || borderColor
	};
	var xml = "<border>";
	xml += getSideBorderXml("left", left);
	xml += getSideBorderXml("right", right);
	xml += getSideBorderXml("top", top);
	xml += getSideBorderXml("bottom", bottom);
	xml += "<diagonal/>";
	xml += "</border>";
	return xml;
}
function getSideBorderXml(side, _ref2) {
	var style = _ref2.style, color = _ref2.color;
	if (color && !style) style = "thin";
	var hasChildren = Boolean(color);
	return "<".concat(side) + (style ? " style=\"".concat(sanitizeAttributeValue(style), "\"") : "") + (hasChildren ? ">" : "/>") + (color ? "<color rgb=\"".concat(sanitizeAttributeValue(getXlsxColorForHexColor(color)), "\"/>") : "") + (hasChildren ? "</".concat(side, ">") : "");
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getFontXml.js
function getFontXml(font) {
	(arguments.length > 1 && arguments[1] !== void 0 ? arguments[1] : {}).isDefaultGenericFont;
	var fontFamily = font.fontFamily, fontSize = font.fontSize, fontWeight = font.fontWeight, fontStyle = font.fontStyle, textDecoration = font.textDecoration, textColor = font.textColor;
	var xml = "<font>";
	if (fontFamily) xml += "<name val=\"".concat(sanitizeAttributeValue(fontFamily), "\"/>");
	if (typeof fontSize === "number") xml += "<sz val=\"".concat(fontSize, "\"/>");
	xml += "<family val=\"2\"/>";
	if (!(fontFamily || typeof fontSize === "number")) xml += "<scheme val=\"minor\"/>";
	if (fontWeight === "bold") xml += "<b/>";
	if (fontStyle === "italic") xml += "<i/>";
	if (textDecoration) {
		if (textDecoration.strikethrough) xml += "<strike/>";
		if (textDecoration.underline) xml += "<u/>";
		else if (textDecoration.doubleUnderline) xml += "<u val=\"double\"/>";
	}
	if (textColor) xml += "<color rgb=\"".concat(sanitizeAttributeValue(getXlsxColorForHexColor(textColor)), "\"/>");
	else xml += "<color theme=\"1\"/>";
	xml += "</font>";
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getAlignmentXml.js
function getAlignmentXml(_ref) {
	var align = _ref.align, alignVertical = _ref.alignVertical, textRotation = _ref.textRotation, indent = _ref.indent, wrap = _ref.wrap;
	return "<alignment" + (align ? " horizontal=\"".concat(sanitizeAttributeValue(align), "\"") : "") + (alignVertical ? " vertical=\"".concat(sanitizeAttributeValue(alignVertical), "\"") : "") + (textRotation ? " textRotation=\"".concat(getTextRotation(validateTextRotation(textRotation)), "\"") : "") + (indent ? " indent=\"".concat(sanitizeAttributeValue(String(indent)), "\"") : "") + (wrap ? " wrapText=\"1\"" : "") + "/>";
}
function validateTextRotation(textRotation) {
	if (!(textRotation >= -90 && textRotation <= 90)) throw new Error("Unsupported text rotation angle: ".concat(textRotation, ". Values from -90 to 90 are supported."));
	return textRotation;
}
function getTextRotation(textRotation) {
	if (textRotation < 0) return 90 - textRotation;
	return textRotation;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/initializeStyles.js
function _typeof$3(o) {
	"@babel/helpers - typeof";
	return _typeof$3 = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o) {
		return typeof o;
	} : function(o) {
		return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o;
	}, _typeof$3(o);
}
function ownKeys$3(e, r) {
	var t = Object.keys(e);
	if (Object.getOwnPropertySymbols) {
		var o = Object.getOwnPropertySymbols(e);
		r && (o = o.filter(function(r) {
			return Object.getOwnPropertyDescriptor(e, r).enumerable;
		})), t.push.apply(t, o);
	}
	return t;
}
function _objectSpread$3(e) {
	for (var r = 1; r < arguments.length; r++) {
		var t = null != arguments[r] ? arguments[r] : {};
		r % 2 ? ownKeys$3(Object(t), !0).forEach(function(r) {
			_defineProperty$3(e, r, t[r]);
		}) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(t)) : ownKeys$3(Object(t)).forEach(function(r) {
			Object.defineProperty(e, r, Object.getOwnPropertyDescriptor(t, r));
		});
	}
	return e;
}
function _defineProperty$3(e, r, t) {
	return (r = _toPropertyKey$3(r)) in e ? Object.defineProperty(e, r, {
		value: t,
		enumerable: !0,
		configurable: !0,
		writable: !0
	}) : e[r] = t, e;
}
function _toPropertyKey$3(t) {
	var i = _toPrimitive$3(t, "string");
	return "symbol" == _typeof$3(i) ? i : i + "";
}
function _toPrimitive$3(t, r) {
	if ("object" != _typeof$3(t) || !t) return t;
	var e = t[Symbol.toPrimitive];
	if (void 0 !== e) {
		var i = e.call(t, r || "default");
		if ("object" != _typeof$3(i)) return i;
		throw new TypeError("@@toPrimitive must return a primitive value.");
	}
	return ("string" === r ? String : Number)(t);
}
function initializeStyles(defaultFont) {
	var formats = [];
	var formatIdByFormat = {};
	var styles = [];
	var stylesIndex = {};
	var fonts = [];
	var fontIdByFontKey = {};
	var fills = [];
	var fillIdByFillKey = {};
	var borders = [];
	var borderIdByBorderKey = {};
	var defaultFontId = fonts.length;
	fontIdByFontKey[getKey(defaultFont)] = defaultFontId;
	fonts.push(defaultFont || {});
	var defaultFill = {};
	fillIdByFillKey[getKey(defaultFill)] = fills.length;
	fills.push(defaultFill);
	var defaultBorder = {};
	borderIdByBorderKey[getKey(defaultBorder)] = borders.length;
	borders.push(defaultBorder);
	fills.push({ gray125: true });
	function findOrCreateCellStyle(cellStyle) {
		var format = cellStyle.format, align = cellStyle.align, alignVertical = cellStyle.alignVertical, textRotation = cellStyle.textRotation, indent = cellStyle.indent, wrap = cellStyle.wrap, fontFamily = cellStyle.fontFamily, fontSize = cellStyle.fontSize, fontWeight = cellStyle.fontWeight, fontStyle = cellStyle.fontStyle, textDecoration = cellStyle.textDecoration, textColor = cellStyle.textColor, backgroundColor = cellStyle.backgroundColor, fillPatternStyle = cellStyle.fillPatternStyle, fillPatternColor = cellStyle.fillPatternColor, borderColor = cellStyle.borderColor, borderStyle = cellStyle.borderStyle, leftBorderColor = cellStyle.leftBorderColor, leftBorderStyle = cellStyle.leftBorderStyle, rightBorderColor = cellStyle.rightBorderColor, rightBorderStyle = cellStyle.rightBorderStyle, topBorderColor = cellStyle.topBorderColor, topBorderStyle = cellStyle.topBorderStyle, bottomBorderColor = cellStyle.bottomBorderColor, bottomBorderStyle = cellStyle.bottomBorderStyle;
		var font = {
			fontFamily,
			fontSize,
			fontWeight,
			fontStyle,
			textDecoration,
			textColor
		};
		var fill = {
			backgroundColor,
			fillPatternStyle,
			fillPatternColor
		};
		var border = {
			borderColor,
			borderStyle,
			leftBorderColor,
			leftBorderStyle,
			rightBorderColor,
			rightBorderStyle,
			topBorderColor,
			topBorderStyle,
			bottomBorderColor,
			bottomBorderStyle
		};
		var alignment = {
			align,
			alignVertical,
			textRotation,
			indent,
			wrap
		};
		var formatKey = getKey(format);
		var fontKey = getKey(font);
		var fillKey = getKey(fill);
		var borderKey = getKey(border);
		var styleKey = getKey(cellStyle);
		var addStyle = function addStyle() {
			var formatId;
			if (format) {
				formatId = formatIdByFormat[formatKey];
				if (formatId === void 0) {
					formatId = 100 + formats.length;
					formatIdByFormat[formatKey] = formatId;
					formats.push(format);
				}
			}
			var fontId;
			if (hasFont(font)) {
				fontId = fontIdByFontKey[fontKey];
				if (fontId === void 0) {
					fontId = fonts.length;
					fontIdByFontKey[fontKey] = fontId;
					fonts.push(_objectSpread$3(_objectSpread$3({}, font), {}, {
						fontSize: font.fontSize || defaultFont && defaultFont.fontSize,
						fontFamily: font.fontFamily || defaultFont && defaultFont.fontFamily
					}));
				}
			} else if (defaultFont) fontId = defaultFontId;
			var fillId;
			if (hasFill(fill)) {
				fillId = fillIdByFillKey[fillKey];
				if (fillId === void 0) {
					fillId = fills.length;
					fillIdByFillKey[fillKey] = fillId;
					fills.push({
						backgroundColor,
						fillPatternStyle,
						fillPatternColor
					});
				}
			}
			var borderId;
			if (hasBorder(border)) {
				borderId = borderIdByBorderKey[borderKey];
				if (borderId === void 0) {
					borderId = borders.length;
					borderIdByBorderKey[borderKey] = borderId;
					borders.push(border);
				}
			}
			var styleId = styles.length;
			stylesIndex[styleKey] = styleId;
			styles.push({
				formatId,
				fontId,
				fillId,
				borderId,
				alignment
			});
			return styleId;
		};
		if (stylesIndex[styleKey] !== void 0) return stylesIndex[styleKey];
		return addStyle();
	}
	findOrCreateCellStyle({});
	return {
		getCellStyles: function getCellStyles() {
			return {
				formats,
				styles,
				fonts,
				fills,
				borders
			};
		},
		findOrCreateCellStyle
	};
}
function getKey(object) {
	return JSON.stringify(object);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/files/styles.xml.js
function _createForOfIteratorHelperLoose$8(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$8(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$8(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$8(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$8(r, a) : void 0;
	}
}
function _arrayLikeToArray$8(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function generateStylesXml(cellStyles, sheetsOptions, features) {
	var formats = cellStyles.formats, styles = cellStyles.styles, fonts = cellStyles.fonts, fills = cellStyles.fills, borders = cellStyles.borders;
	var xml = "<?xml version=\"1.0\" ?>";
	xml += "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">";
	if (formats.length > 0) {
		xml += "<numFmts count=\"".concat(formats.length, "\">");
		for (var i = 0; i < formats.length; i++) xml += "<numFmt numFmtId=\"".concat(100 + i, "\" formatCode=\"").concat(sanitizeAttributeValue(formats[i]), "\"/>");
		xml += "</numFmts>";
	}
	xml += "<fonts count=\"".concat(fonts.length, "\">");
	for (var _iterator = _createForOfIteratorHelperLoose$8(fonts), _step; !(_step = _iterator()).done;) {
		var font = _step.value;
		xml += getFontXml(font);
	}
	xml += "</fonts>";
	xml += "<fills count=\"".concat(fills.length, "\">");
	for (var _iterator2 = _createForOfIteratorHelperLoose$8(fills), _step2; !(_step2 = _iterator2()).done;) {
		var fill = _step2.value;
		if (fill.gray125) {
			xml += "<fill>";
			xml += "<patternFill patternType=\"gray125\"/>";
			xml += "</fill>";
		} else xml += getFillXml(fill);
	}
	xml += "</fills>";
	xml += "<borders count=\"".concat(borders.length, "\">");
	for (var _iterator3 = _createForOfIteratorHelperLoose$8(borders), _step3; !(_step3 = _iterator3()).done;) {
		var border = _step3.value;
		xml += getBorderXml(border);
	}
	xml += "</borders>";
	xml += "<cellXfs count=\"".concat(styles.length, "\">");
	for (var _iterator4 = _createForOfIteratorHelperLoose$8(styles), _step4; !(_step4 = _iterator4()).done;) {
		var cellStyle = _step4.value;
		var fontId = cellStyle.fontId, fillId = cellStyle.fillId, borderId = cellStyle.borderId, alignment = cellStyle.alignment, formatId = cellStyle.formatId;
		xml += "<xf " + [
			formatId === void 0 ? void 0 : "numFmtId=\"".concat(formatId, "\" applyNumberFormat=\"1\""),
			fontId === void 0 ? void 0 : "fontId=\"".concat(fontId, "\" applyFont=\"1\""),
			fillId === void 0 ? void 0 : "fillId=\"".concat(fillId, "\" applyFill=\"1\""),
			borderId === void 0 ? void 0 : "borderId=\"".concat(borderId, "\" applyBorder=\"1\""),
			hasAlignment(alignment) ? "applyAlignment=\"1\"" : void 0
		].filter(function(_) {
			return _;
		}).join(" ") + ">" + (hasAlignment(alignment) ? getAlignmentXml(alignment) : "") + "</xf>";
	}
	xml += "</cellXfs>";
	xml += getAdditionalContent("xl/styles.xml", features, sheetsOptions);
	xml += "</styleSheet>";
	xml = transformContent(xml, "xl/styles.xml", features, sheetsOptions);
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/findElementsNonRecursive_.js
/**
* Finds elements in valid XML markup.
* Caveat: Every time it finds an element, it doesn't "step into" it but rather "steps over" it.
* @param {string} xml — XML markup
* @param {string} [options.tagName] — The name of the element to find
* @param {boolean} [options.stopAfterFirstMatch] — If `true`, will only return a single result.
* @returns {object[]} — Found elements, each element represented by an object with propeties: `{ openingTagStartIndex: number, openingTagEndIndex: number, openingTagAttributes: object, selfClosingTag?: boolean, closingTagStartIndex?: number, closingTagEndIndex?: number }`
*/
function findElementsNonRecursive_(xml) {
	var _ref = arguments.length > 1 && arguments[1] !== void 0 ? arguments[1] : {}, tagName = _ref.tagName, stopAfterFirstMatch = _ref.stopAfterFirstMatch;
	var openingTagRegExp = new RegExp(getOpeningTagRegExpPattern(tagName), stopAfterFirstMatch ? void 0 : "g");
	var results = [];
	var openingTagMatch;
	while ((openingTagMatch = openingTagRegExp.exec(xml)) !== null) {
		var openingTag = openingTagMatch[0];
		var openingTagName = tagName || openingTagMatch[1];
		var attributes = {};
		var attributeRegExp = /* @__PURE__ */ new RegExp("\\s+([^\\s=>]+)(?:=\"([^\\s=>]+)\")", "g");
		var attributeMatch = void 0;
		while ((attributeMatch = attributeRegExp.exec(openingTag)) !== null) attributes[attributeMatch[1]] = attributeMatch[2];
		var result = {
			tagName: openingTagName,
			openingTagStartIndex: openingTagMatch.index,
			openingTagEndIndex: openingTagMatch.index + openingTag.length - 1,
			openingTagAttributes: attributes,
			selfClosingTag: false,
			closingTagStartIndex: void 0,
			closingTagEndIndex: void 0
		};
		if (openingTag[openingTag.length - 2] === "/") result.selfClosingTag = true;
		else {
			var closingTagPosition = findClosingTagPosition(xml, result.openingTagEndIndex + 1, openingTagName);
			if (!closingTagPosition) throw new Error("Invalid XML: opening tag was found but closing tag was not: </".concat(openingTagName, ">"));
			result.closingTagStartIndex = closingTagPosition[0];
			result.closingTagEndIndex = closingTagPosition[1];
		}
		results.push(result);
		if (stopAfterFirstMatch) break;
		if (result.selfClosingTag) openingTagRegExp.lastIndex = result.openingTagEndIndex + 1;
		else openingTagRegExp.lastIndex = result.closingTagEndIndex + 1;
	}
	return results;
}
function findClosingTagPosition(xml, startFromIndex, tagName) {
	var openingOrClosingTagRegExp = new RegExp("<(/)?" + tagName + "(?:\\s+[^>]+|/)?>", "g");
	openingOrClosingTagRegExp.lastIndex = startFromIndex;
	var nestingLevel = 0;
	var openingOrClosingTagMatch;
	while ((openingOrClosingTagMatch = openingOrClosingTagRegExp.exec(xml)) !== null) {
		var openingOrClosingTag = openingOrClosingTagMatch[0];
		if (openingOrClosingTagMatch[1]) {
			if (nestingLevel > 0) nestingLevel--;
			else return [openingOrClosingTagMatch.index, openingOrClosingTagMatch.index + openingOrClosingTag.length - 1];
		} else nestingLevel++;
	}
}
function getOpeningTagRegExpPattern(tagName) {
	return "<" + (tagName || "([^\\s/>]+)") + "(?:\\s+[^>]+|/)?>";
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/findElement.js
/**
* Finds a single element in valid XML markup.
* @param {string} xml — XML markup
* @param {string} tagName — The name of the element to find
* @returns {object|undefined} — A found element, represented by an object with propeties: `{ openingTagStartIndex: number, openingTagEndIndex: number, openingTagAttributes: object, selfClosingTag?: boolean, closingTagStartIndex?: number, closingTagEndIndex?: number }`
*/
function findElement(xml, tagName) {
	return findElementsNonRecursive_(xml, {
		tagName,
		stopAfterFirstMatch: true
	})[0];
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/setMarkupInsideElement.js
/**
* Replaces the XML inside an `element` that was found in `xml` using `findElement()` function.
* @param {string} xml
* @param {FoundElement} element
* @param {string} [replacementXml]
* @returns {string}
*/
function setMarkupInsideElement(xml, element, replacementXml) {
	if (replacementXml) {
		if (element.selfClosingTag) return xml.slice(0, element.openingTagEndIndex - 1) + ">" + replacementXml + "</" + element.tagName + ">" + xml.slice(element.openingTagEndIndex + 1);
		return xml.slice(0, element.openingTagEndIndex + 1) + replacementXml + xml.slice(element.closingTagStartIndex);
	} else {
		if (element.selfClosingTag) return xml;
		return xml.slice(0, element.openingTagEndIndex) + "/>" + xml.slice(element.closingTagEndIndex + 1);
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/appendMarkupInsideElement.js
/**
* Appends XML inside an `element` that was found in `xml` using `findElement()` function.
* @param {string} xml
* @param {FoundElement} element
* @param {string} addedXml
* @returns {string}
*/
function appendMarkupInsideElement(xml, element, addedXml) {
	if (element.selfClosingTag) return setMarkupInsideElement(xml, element, addedXml);
	return xml.slice(0, element.closingTagStartIndex) + addedXml + xml.slice(element.closingTagStartIndex);
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getMarkupInsideElement.js
/**
* Returns the XML inside an `element` that was found in `xml` using `findElement()` function.
* @param {string} xml
* @param {FoundElement} element
* @returns {string}
*/
function getMarkupInsideElement(xml, element) {
	if (element.selfClosingTag) return "";
	return xml.substring(element.openingTagEndIndex + 1, element.closingTagStartIndex);
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/applyEnclosingElementOffset.js
function applyEnclosingElementOffset(element, enclosingElement) {
	var enclosingElementOffset = enclosingElement.openingTagEndIndex + 1;
	element.openingTagStartIndex += enclosingElementOffset;
	element.openingTagEndIndex += enclosingElementOffset;
	if (!element.selfClosingTag) {
		element.closingTagStartIndex += enclosingElementOffset;
		element.closingTagEndIndex += enclosingElementOffset;
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/getChildElements.js
function _createForOfIteratorHelperLoose$7(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$7(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$7(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$7(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$7(r, a) : void 0;
	}
}
function _arrayLikeToArray$7(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
/**
* Returns all child elements of a given element.
* @param {string} xml — XML markup
* @param {object} element — A parent element that was previously found using `findElement()` function.
* @returns {object[]} — Child elements, each element represented by an object with propeties: `{ openingTagStartIndex: number, openingTagEndIndex: number, openingTagAttributes: object, selfClosingTag?: boolean, closingTagStartIndex?: number, closingTagEndIndex?: number }`
*/
function getChildElements(xml, element) {
	var children = findElementsNonRecursive_(getMarkupInsideElement(xml, element));
	for (var _iterator = _createForOfIteratorHelperLoose$7(children), _step; !(_step = _iterator()).done;) {
		var child = _step.value;
		applyEnclosingElementOffset(child, element);
	}
	return children;
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/prependMarkupInsideElement.js
/**
* Prepends XML inside an `element` that was found in `xml` using `findElement()` function.
* @param {string} xml
* @param {FoundElement} element
* @param {string} addedXml
* @returns {string}
*/
function prependMarkupInsideElement(xml, element, addedXml) {
	if (element.selfClosingTag) return setMarkupInsideElement(xml, element, addedXml);
	return xml.slice(0, element.openingTagEndIndex + 1) + addedXml + xml.slice(element.openingTagEndIndex + 1);
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/insertElementMarkupAccordingToOrderOfSiblings.js
function _createForOfIteratorHelperLoose$6(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$6(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$6(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$6(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$6(r, a) : void 0;
	}
}
function _arrayLikeToArray$6(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function insertElementMarkupAccordingToOrderOfSiblings(xml, elementMarkup, orderOfSiblings) {
	for (var _len = arguments.length, parentElementTagNames = new Array(_len > 3 ? _len - 3 : 0), _key = 3; _key < _len; _key++) parentElementTagNames[_key - 3] = arguments[_key];
	if (parentElementTagNames.length === 0) throw new Error("At least one parent element tag name is required");
	parentElementTagNames = parentElementTagNames.slice().reverse();
	var parentElement;
	var _loop = function _loop() {
		var parentElementTagName = _step.value;
		if (parentElement) parentElement = getChildElements(xml, parentElement).find(function(_) {
			return _.tagName === parentElementTagName;
		});
		else parentElement = findElement(xml, parentElementTagName);
		if (!parentElement) throw new Error("Element not found: <".concat(parentElementTagName, ">"));
	};
	for (var _iterator = _createForOfIteratorHelperLoose$6(parentElementTagNames), _step; !(_step = _iterator()).done;) _loop();
	var elementTagNameMatch = elementMarkup.match(TAG_NAME_REG_EXP);
	if (!elementTagNameMatch) throw new Error("Couldn't extract tag name from markup: ".concat(elementMarkup));
	var elementTagName = elementTagNameMatch[1];
	if (!orderOfSiblings || orderOfSiblings.length < 2) return appendMarkupInsideElement(xml, parentElement, elementMarkup);
	var children = getChildElements(xml, parentElement);
	if (children.length === 0) return appendMarkupInsideElement(xml, parentElement, elementMarkup);
	var elementTagNameOrder = orderOfSiblings.indexOf(elementTagName);
	if (elementTagNameOrder < 0) return appendMarkupInsideElement(xml, parentElement, elementMarkup);
	var tagNamesBeforeElement = orderOfSiblings.slice(0, elementTagNameOrder).reverse();
	var _loop2 = function _loop2() {
		var tagName = _step2.value;
		var precedingElement = children.find(function(_) {
			return _.tagName === tagName;
		});
		if (precedingElement) return { v: xml.slice(0, precedingElement.selfClosingTag ? precedingElement.openingTagEndIndex + 1 : precedingElement.closingTagEndIndex + 1) + elementMarkup + xml.slice(precedingElement.selfClosingTag ? precedingElement.openingTagEndIndex + 1 : precedingElement.closingTagEndIndex + 1) };
	}, _ret;
	for (var _iterator2 = _createForOfIteratorHelperLoose$6(tagNamesBeforeElement), _step2; !(_step2 = _iterator2()).done;) {
		_ret = _loop2();
		if (_ret) return _ret.v;
	}
	return prependMarkupInsideElement(xml, parentElement, elementMarkup);
}
var TAG_NAME_REG_EXP = new RegExp(getOpeningTagRegExpPattern());
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/orderOfSiblings.js
var orderOfSiblings_default = {
	"xl/workbook.xml": [["workbook", [
		"workbookPr",
		"bookViews",
		"sheets",
		"pivotCaches",
		"definedNames",
		"calcPr"
	]]],
	"xl/styles.xml": [["styleSheet", [
		"numFmts",
		"fonts",
		"fills",
		"borders",
		"cellStyleXfs",
		"cellXfs",
		"cellStyles",
		"dxfs",
		"tableStyles"
	]]],
	"xl/worksheets/sheet{id}.xml": [["worksheet", [
		"sheetPr",
		"dimension",
		"sheetViews",
		"sheetFormatPr",
		"cols",
		"sheetData",
		"sheetCalcPr",
		"sheetProtection",
		"protectedRanges",
		"scenarios",
		"autoFilter",
		"sortState",
		"dataConsolidate",
		"customSheetViews",
		"mergeCells",
		"phoneticPr",
		"conditionalFormatting",
		"dataValidations",
		"hyperlinks",
		"printOptions",
		"pageMargins",
		"pageSetup",
		"headerFooter",
		"rowBreaks",
		"colBreaks",
		"drawing",
		"legacyDrawing",
		"picture",
		"oleObjects",
		"controls",
		"tableParts",
		"extLst"
	]]]
};
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getOrderOfSiblings.js
/**
* Returns the order of siblings in a given `.xml` file inside given parent tag(s).
* @param {string} fileName
* @param {string[]} parentTagNames
* @returns {string[]}
*/
function getOrderOfSiblings(fileName) {
	var orderOfSiblings = orderOfSiblings_default[fileName];
	if (!orderOfSiblings) return;
	for (var _len = arguments.length, parentTagNames = new Array(_len > 1 ? _len - 1 : 0), _key = 1; _key < _len; _key++) parentTagNames[_key - 1] = arguments[_key];
	if (parentTagNames.length === 0) throw new Error("At least one parent element tag name is required");
	var _loop = function _loop() {
		var tagName = _parentTagNames[_i];
		var orderOfSiblingsMatchingElement = orderOfSiblings.find(function(element) {
			if (Array.isArray(element)) return element[0] === tagName;
			else return element === tagName;
		});
		if (!orderOfSiblingsMatchingElement) return { v: void 0 };
		if (Array.isArray(orderOfSiblingsMatchingElement)) orderOfSiblings = orderOfSiblingsMatchingElement[1];
		else return { v: void 0 };
	}, _ret;
	for (var _i = 0, _parentTagNames = parentTagNames; _i < _parentTagNames.length; _i++) {
		_ret = _loop();
		if (_ret) return _ret.v;
	}
	if (orderOfSiblings) return orderOfSiblings.map(function(element) {
		if (Array.isArray(element)) return element[0];
		else return element;
	});
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/features/conditionalFormatting.js
function _createForOfIteratorHelperLoose$5(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$5(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$5(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$5(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$5(r, a) : void 0;
	}
}
function _arrayLikeToArray$5(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
var conditionalFormatting_default = { files: { transform: {
	"xl/worksheets/sheet{id}.xml": { transform: function transform(xml, sheetOptions, _ref) {
		_ref.sheetIndex;
		_ref.sheetId;
		var conditionalFormatting = sheetOptions.conditionalFormatting;
		if (conditionalFormatting) return insertElementMarkupAccordingToOrderOfSiblings(xml, getConditionalFormattingRulesXml(conditionalFormatting), getOrderOfSiblings("xl/worksheets/sheet{id}.xml", "worksheet"), "worksheet");
		return xml;
	} },
	"xl/styles.xml": { insert: function insert(sheetsOptions) {
		var sheetsConditionalFormatting = sheetsOptions.map(function(sheetOptions) {
			return sheetOptions.conditionalFormatting;
		});
		if (sheetsConditionalFormatting.some(Boolean)) return getConditionalFormattingStylesXml(sheetsConditionalFormatting);
	} }
} } };
function getConditionalFormattingRulesXml(conditionalFormattingRules) {
	var xml = "";
	var i = 0;
	for (var _iterator = _createForOfIteratorHelperLoose$5(conditionalFormattingRules), _step; !(_step = _iterator()).done;) {
		var conditionalFormattingRule = _step.value;
		var _conditionalFormattin = conditionalFormattingRule.cellRange, from = _conditionalFormattin.from, to = _conditionalFormattin.to, _conditionalFormattin2 = conditionalFormattingRule.condition, formula = _conditionalFormattin2.formula, operator = _conditionalFormattin2.operator, value = _conditionalFormattin2.value, value2 = _conditionalFormattin2.value2;
		var cellRange = getCellAddress(from.row - 1, from.column - 1) + ":" + getCellAddress(to.row - 1, to.column - 1);
		xml += "<conditionalFormatting sqref=\"".concat(cellRange, "\">");
		var priority = i + 1;
		var dxfId = conditionalFormattingRule._globalIndex;
		if (formula) {
			xml += "<cfRule type=\"expression\" dxfId=\"".concat(dxfId, "\" priority=\"").concat(priority, "\">");
			xml += "<formula>".concat(sanitizeTextContent(formula), "</formula>");
			xml += "</cfRule>";
		} else if (operator) {
			xml += "<cfRule type=\"cellIs\" operator=\"".concat(getXlsxOperatorName(operator), "\" dxfId=\"").concat(dxfId, "\" priority=\"").concat(priority, "\">");
			xml += "<formula>".concat(sanitizeTextContent(formatValue(value)), "</formula>");
			if (getXlsxOperatorName(operator) === "between") xml += "<formula>".concat(sanitizeTextContent(formatValue(value2)), "</formula>");
			xml += "</cfRule>";
		} else throw new Error("Invalid conditional formatting rule:\n".concat(JSON.stringify(conditionalFormattingRule, null, 2)));
		xml += "</conditionalFormatting>";
		i++;
	}
	return xml;
}
function formatValue(value) {
	if (typeof value === "string") return "\"" + value + "\"";
	return String(value);
}
function getXlsxOperatorName(operator) {
	switch (operator) {
		case "<": return "lessThan";
		case ">": return "greaterThan";
		case "<=": return "lessThanOrEqual";
		case ">=": return "greaterThanOrEqual";
		case "=": return "equal";
		case "!=": return "notEqual";
		case "...": return "between";
		default: throw new Error("Unknown conditional formatting operator: ".concat(operator));
	}
}
function getConditionalFormattingStylesXml(sheetsConditionalFormatting) {
	var totalConditionalFormattingRulesCount = 0;
	for (var _iterator2 = _createForOfIteratorHelperLoose$5(sheetsConditionalFormatting), _step2; !(_step2 = _iterator2()).done;) {
		var conditionalFormattingOfSheet = _step2.value;
		if (conditionalFormattingOfSheet) totalConditionalFormattingRulesCount += conditionalFormattingOfSheet.length;
	}
	var xml = "";
	xml += "<dxfs count=\"".concat(totalConditionalFormattingRulesCount, "\">");
	for (var _iterator3 = _createForOfIteratorHelperLoose$5(sheetsConditionalFormatting), _step3; !(_step3 = _iterator3()).done;) {
		var _conditionalFormattingOfSheet = _step3.value;
		if (_conditionalFormattingOfSheet) for (var _iterator4 = _createForOfIteratorHelperLoose$5(_conditionalFormattingOfSheet), _step4; !(_step4 = _iterator4()).done;) {
			var _conditionalFormattin3 = _step4.value.style, fontFamily = _conditionalFormattin3.fontFamily, fontSize = _conditionalFormattin3.fontSize, fontWeight = _conditionalFormattin3.fontWeight, fontStyle = _conditionalFormattin3.fontStyle, textDecoration = _conditionalFormattin3.textDecoration, textColor = _conditionalFormattin3.textColor, backgroundColor = _conditionalFormattin3.backgroundColor, fillPatternStyle = _conditionalFormattin3.fillPatternStyle, fillPatternColor = _conditionalFormattin3.fillPatternColor, borderColor = _conditionalFormattin3.borderColor, borderStyle = _conditionalFormattin3.borderStyle, leftBorderColor = _conditionalFormattin3.leftBorderColor, leftBorderStyle = _conditionalFormattin3.leftBorderStyle, rightBorderColor = _conditionalFormattin3.rightBorderColor, rightBorderStyle = _conditionalFormattin3.rightBorderStyle, topBorderColor = _conditionalFormattin3.topBorderColor, topBorderStyle = _conditionalFormattin3.topBorderStyle, bottomBorderColor = _conditionalFormattin3.bottomBorderColor, bottomBorderStyle = _conditionalFormattin3.bottomBorderStyle;
			xml += "<dxf>";
			var font = {
				fontFamily,
				fontSize,
				fontWeight,
				fontStyle,
				textDecoration,
				textColor
			};
			if (hasFont(font)) {
				if (fontFamily) throw new Error("Conditional formatting can't be used to override font family");
				if (typeof fontSize === "number") throw new Error("Conditional formatting can't be used to override font size");
				xml += getFontXml(font);
			}
			var fill = {
				backgroundColor,
				fillPatternStyle,
				fillPatternColor
			};
			if (hasFill(fill)) xml += getFillXml(fill, { conditionalFormatting: true });
			var border = {
				borderColor,
				borderStyle,
				leftBorderColor,
				leftBorderStyle,
				rightBorderColor,
				rightBorderStyle,
				topBorderColor,
				topBorderStyle,
				bottomBorderColor,
				bottomBorderStyle
			};
			if (hasBorder(border)) xml += getBorderXml(border);
			xml += "</dxf>";
		}
	}
	xml += "</dxfs>";
	return xml;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/getFileExtensionForContentType.js
function getFileExtensionForContentType(contentType) {
	if (!contentType) throw new Error("`contentType` is required");
	var extension = contentType.toLowerCase().replace(/.*\//, "");
	if (!extension) throw new Error("Unsupported `contentType`: " + contentType);
	return extension;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/features/images.js
function _typeof$2(o) {
	"@babel/helpers - typeof";
	return _typeof$2 = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o) {
		return typeof o;
	} : function(o) {
		return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o;
	}, _typeof$2(o);
}
function _createForOfIteratorHelperLoose$4(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$4(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _toConsumableArray(r) {
	return _arrayWithoutHoles(r) || _iterableToArray(r) || _unsupportedIterableToArray$4(r) || _nonIterableSpread();
}
function _nonIterableSpread() {
	throw new TypeError("Invalid attempt to spread non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$4(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$4(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$4(r, a) : void 0;
	}
}
function _iterableToArray(r) {
	if ("undefined" != typeof Symbol && null != r[Symbol.iterator] || null != r["@@iterator"]) return Array.from(r);
}
function _arrayWithoutHoles(r) {
	if (Array.isArray(r)) return _arrayLikeToArray$4(r);
}
function _arrayLikeToArray$4(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function ownKeys$2(e, r) {
	var t = Object.keys(e);
	if (Object.getOwnPropertySymbols) {
		var o = Object.getOwnPropertySymbols(e);
		r && (o = o.filter(function(r) {
			return Object.getOwnPropertyDescriptor(e, r).enumerable;
		})), t.push.apply(t, o);
	}
	return t;
}
function _objectSpread$2(e) {
	for (var r = 1; r < arguments.length; r++) {
		var t = null != arguments[r] ? arguments[r] : {};
		r % 2 ? ownKeys$2(Object(t), !0).forEach(function(r) {
			_defineProperty$2(e, r, t[r]);
		}) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(t)) : ownKeys$2(Object(t)).forEach(function(r) {
			Object.defineProperty(e, r, Object.getOwnPropertyDescriptor(t, r));
		});
	}
	return e;
}
function _defineProperty$2(e, r, t) {
	return (r = _toPropertyKey$2(r)) in e ? Object.defineProperty(e, r, {
		value: t,
		enumerable: !0,
		configurable: !0,
		writable: !0
	}) : e[r] = t, e;
}
function _toPropertyKey$2(t) {
	var i = _toPrimitive$2(t, "string");
	return "symbol" == _typeof$2(i) ? i : i + "";
}
function _toPrimitive$2(t, r) {
	if ("object" != _typeof$2(t) || !t) return t;
	var e = t[Symbol.toPrimitive];
	if (void 0 !== e) {
		var i = e.call(t, r || "default");
		if ("object" != _typeof$2(i)) return i;
		throw new TypeError("@@toPrimitive must return a primitive value.");
	}
	return ("string" === r ? String : Number)(t);
}
var images_default = { files: {
	transform: {
		"[Content_Types].xml": { insert: function insert(sheetsOptions) {
			var sheetsImages = sheetsOptions.map(function(sheetOptions) {
				return sheetOptions.images;
			});
			if (sheetsImages.some(Boolean)) return getContentTypesXml(sheetsImages);
		} },
		"xl/drawings/drawing{id}.xml": { insert: function insert(sheetOptions, _ref) {
			_ref.sheetIndex;
			_ref.sheetId;
			var images = sheetOptions.images;
			if (images) return getImagesDrawingXml({ images });
		} },
		"xl/drawings/_rels/drawing{id}.xml.rels": { insert: function insert(sheetOptions, _ref2) {
			var sheetIndex = _ref2.sheetIndex;
			_ref2.sheetId;
			var images = sheetOptions.images;
			if (images) return getImagesDrawingXmlRels({
				images,
				sheetIndex
			});
		} }
	},
	write: { files: function files(sheetsOptions, _ref3) {
		_ref3.read;
		var sheetsImages = sheetsOptions.map(function(sheetOptions) {
			return sheetOptions.images;
		});
		if (sheetsImages.some(Boolean)) return sheetsImages.map(function(images, sheetIndex) {
			if (images) return images.reduce(function(imagesContent, image, imageIndex) {
				return _objectSpread$2(_objectSpread$2({}, imagesContent), {}, _defineProperty$2({}, "xl/media/".concat(getImageFileName(image, {
					sheetIndex,
					imageIndex
				})), image.content));
			}, {});
			return {};
		}).reduce(function(allImagesContent, sheetImagesContent) {
			return _objectSpread$2(_objectSpread$2({}, allImagesContent), sheetImagesContent);
		}, {});
	} }
} };
function getContentTypesXml(sheetsImages) {
	var imagesFromAllSheets = sheetsImages.reduce(function(all, images) {
		return [].concat(_toConsumableArray(all), _toConsumableArray(images || []));
	}, []);
	var xml = "";
	for (var _iterator = _createForOfIteratorHelperLoose$4(getFileExtensionContentTypes(imagesFromAllSheets)), _step; !(_step = _iterator()).done;) {
		var _step$value = _step.value, fileExtension = _step$value.fileExtension, contentType = _step$value.contentType;
		xml += "<Default Extension=\"".concat(fileExtension, "\" ContentType=\"").concat(contentType, "\"/>");
	}
	return xml;
}
function getFileExtensionContentTypes(images) {
	var fileExtensionContentTypes = [];
	var addFileExtensionContentType = function addFileExtensionContentType(image) {
		var fileExtension = getFileExtensionForContentType(image.contentType);
		if (!fileExtensionContentTypes.find(function(_) {
			return _.fileExtension === fileExtension;
		})) fileExtensionContentTypes.push({
			fileExtension,
			contentType: image.contentType
		});
	};
	for (var _iterator2 = _createForOfIteratorHelperLoose$4(images), _step2; !(_step2 = _iterator2()).done;) {
		var image = _step2.value;
		addFileExtensionContentType(image);
	}
	return fileExtensionContentTypes;
}
function getImageFileName(image, _ref4) {
	var sheetIndex = _ref4.sheetIndex, imageIndex = _ref4.imageIndex;
	var sheetNumber = sheetIndex + 1;
	var imageNumber = imageIndex + 1;
	return "sheet".concat(sheetNumber, "-image").concat(imageNumber, ".").concat(getFileExtensionForContentType(image.contentType));
}
function getImagesDrawingXml(_ref5) {
	var images = _ref5.images;
	var xml = "";
	var i = 0;
	var _loop = function _loop() {
		var image = _step3.value;
		var imageId = i + 1;
		var pxToEmu = function pxToEmu(px) {
			return pxToEmu_(px, image.dpi);
		};
		xml += "<xdr:oneCellAnchor>";
		xml += "<xdr:from>";
		xml += "<xdr:col>".concat(image.anchor.column - 1, "</xdr:col>");
		xml += "<xdr:colOff>".concat(typeof image.offsetX === "number" ? pxToEmu(image.offsetX) : 0, "</xdr:colOff>");
		xml += "<xdr:row>".concat(image.anchor.row - 1, "</xdr:row>");
		xml += "<xdr:rowOff>".concat(typeof image.offsetY === "number" ? pxToEmu(image.offsetY) : 0, "</xdr:rowOff>");
		xml += "</xdr:from>";
		xml += "<xdr:ext cx=\"".concat(pxToEmu(image.width), "\" cy=\"").concat(pxToEmu(image.height), "\"/>");
		xml += "<xdr:pic>";
		xml += "<xdr:nvPicPr>";
		xml += "<xdr:cNvPr id=\"".concat(imageId, "\" name=\"").concat(image.title ? sanitizeAttributeValue(image.title) : "Picture " + imageId, "\" descr=\"").concat(image.description ? sanitizeAttributeValue(image.description) : "", "\"/>");
		xml += "<xdr:cNvPicPr>";
		xml += "<a:picLocks noChangeAspect=\"1\"/>";
		xml += "</xdr:cNvPicPr>";
		xml += "</xdr:nvPicPr>";
		xml += "<xdr:blipFill>";
		xml += "<a:blip xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:embed=\"rId-image-".concat(imageId, "\" cstate=\"print\"/>");
		xml += "<a:stretch>";
		xml += "<a:fillRect/>";
		xml += "</a:stretch>";
		xml += "</xdr:blipFill>";
		xml += "<xdr:spPr>";
		xml += "<a:prstGeom prst=\"rect\">";
		xml += "<a:avLst/>";
		xml += "</a:prstGeom>";
		xml += "</xdr:spPr>";
		xml += "</xdr:pic>";
		xml += "<xdr:clientData/>";
		xml += "</xdr:oneCellAnchor>";
		i++;
	};
	for (var _iterator3 = _createForOfIteratorHelperLoose$4(images), _step3; !(_step3 = _iterator3()).done;) _loop();
	return xml;
}
function getImagesDrawingXmlRels(_ref6) {
	var images = _ref6.images, sheetIndex = _ref6.sheetIndex;
	return images.map(function(image, i) {
		var imageId = i + 1;
		return "<Relationship Id=\"rId-image-".concat(imageId, "\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image\" Target=\"../media/").concat(getImageFileName(image, {
			sheetIndex,
			imageIndex: i
		}), "\"/>");
	}).join("");
}
var DEFAULT_DISPLAY_DPI = 96;
var DEFAULT_IMAGE_DPI = 96;
function pxToEmu_(px, imageDpi) {
	var displayDpi = DEFAULT_DISPLAY_DPI;
	return Math.round(px * 9525 * (DEFAULT_DISPLAY_DPI / displayDpi) * (DEFAULT_IMAGE_DPI / imageDpi));
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/replaceElement.js
/**
* Replaces an `element` that was found in `xml` using `findElement()` function with a given `replacementXml` markup.
* @param {string} xml
* @param {FoundElement} element
* @param {string} replacementXml
* @returns {string}
*/
function replaceElement(xml, element, replacementXml) {
	if (element.selfClosingTag) return xml.slice(0, element.openingTagStartIndex) + replacementXml + xml.slice(element.openingTagEndIndex + 1);
	return xml.slice(0, element.openingTagStartIndex) + replacementXml + xml.slice(element.closingTagEndIndex + 1);
}
// ../../../work/main/node_modules/write-excel-file/modules/xml/findElementInsideElement.js
/**
* Finds a single element in valid XML markup within bounds of a given element that was previously found using `findElement()` function.
* @param {string} xml — XML markup
* @param {string} tagName — The name of the element to find
* @param {object} enclosingElement — An enclosing element that was previously found using `findElement()` function.
* @returns {object|undefined} — A found element, represented by an object with propeties: `{ openingTagStartIndex: number, openingTagEndIndex: number, openingTagAttributes: object, selfClosingTag?: boolean, closingTagStartIndex?: number, closingTagEndIndex?: number }`
*/
function findElementInsideElement(xml, tagName, enclosingElement) {
	var element = findElement(getMarkupInsideElement(xml, enclosingElement), tagName);
	if (element) {
		applyEnclosingElementOffset(element, enclosingElement);
		return element;
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/features/stickyRowsOrColumns.js
var stickyRowsOrColumns_default = { files: { transform: {
	"xl/worksheets/sheet{id}.xml": { transform: function transform(xml, sheetOptions, _ref) {
		var sheetIndex = _ref.sheetIndex, sheetId = _ref.sheetId;
		if (hasStickyRowsOrColumns(sheetOptions)) {
			var stickyRowsCount = sheetOptions.stickyRowsCount, stickyColumnsCount = sheetOptions.stickyColumnsCount;
			var paneAttributes = {
				ySplit: stickyRowsCount || 0,
				xSplit: stickyColumnsCount || 0,
				topLeftCell: getCellAddress(stickyRowsCount || 0, stickyColumnsCount || 0),
				activePane: "bottomRight",
				state: "frozen"
			};
			var sheetViewElement = findElement(xml, "sheetView");
			if (sheetViewElement) {
				var paneElement = findElementInsideElement(xml, "pane", sheetViewElement);
				var paneXml = getSelfClosingTagMarkup("pane", paneAttributes);
				if (paneElement) xml = replaceElement(xml, paneElement, paneXml);
				else xml = appendMarkupInsideElement(xml, sheetViewElement, paneXml);
			} else {
				if (findElement(xml, "sheetViews")) throw new Error("xl/worksheets/sheet".concat(sheetId, ".xml: <sheetViews/> element exists but it doesn't contain any <sheetView/> elements"));
				var sheetViewAttributes = {
					tabSelected: sheetIndex === 0 ? 1 : 0,
					workbookViewId: 0
				};
				var sheetViewsXml = getOpeningTagMarkup("sheetViews") + getOpeningTagMarkup("sheetView", sheetViewAttributes) + getSelfClosingTagMarkup("pane", paneAttributes) + getClosingTagMarkup("sheetView", sheetViewAttributes) + getClosingTagMarkup("sheetViews");
				var worksheetElement = findElement(xml, "worksheet");
				xml = prependMarkupInsideElement(xml, worksheetElement, sheetViewsXml);
			}
		}
		return xml;
	} },
	"xl/workbook.xml": { transform: function transform(xml, sheetsOptions) {
		if (sheetsOptions.some(hasStickyRowsOrColumns)) {
			if (!findElement(xml, "workbookView")) {
				if (findElement(xml, "bookViews")) throw new Error("xl/workbook.xml: <bookViews/> element exists but it doesn't contain any <workbookView/> elements");
				return insertElementMarkupAccordingToOrderOfSiblings(xml, "<bookViews><workbookView/></bookViews>", getOrderOfSiblings("xl/workbook.xml", "workbook"), "workbook");
			}
		}
		return xml;
	} }
} } };
function hasStickyRowsOrColumns(sheetOptions) {
	return Boolean(sheetOptions.stickyRowsCount) || Boolean(sheetOptions.stickyColumnsCount);
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/getFeatures.js
function getFeatures(customFeatures) {
	var features = [];
	features.push(conditionalFormatting_default);
	features.push(images_default);
	features.push(stickyRowsOrColumns_default);
	if (customFeatures) {
		customFeatures.forEach(validateFeature);
		features = features.concat(customFeatures);
	}
	return features;
}
var TRANSFORMABLE_FILES = [
	"[Content_Types].xml",
	"_rels/.rels",
	"xl/styles.xml",
	"xl/workbook.xml",
	"xl/_rels/workbook.xml.rels",
	"xl/worksheets/sheet{id}.xml",
	"xl/worksheets/_rels/sheet{id}.xml.rels",
	"xl/drawings/drawing{id}.xml",
	"xl/drawings/_rels/drawing{id}.xml.rels"
];
function validateFeature(feature) {
	if (feature.files && feature.files.transform) for (var _i = 0, _Object$keys = Object.keys(feature.files.transform); _i < _Object$keys.length; _i++) {
		var key = _Object$keys[_i];
		if (TRANSFORMABLE_FILES.indexOf(key) < 0) throw new Error("Unknown file to transform: ".concat(key));
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/validateSheetData.js
function _createForOfIteratorHelperLoose$3(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$3(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$3(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$3(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$3(r, a) : void 0;
	}
}
function _arrayLikeToArray$3(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function validateSheetData(data) {
	if (!Array.isArray(data)) throw new TypeError("Expected sheet data to be an array of rows");
	for (var _iterator = _createForOfIteratorHelperLoose$3(data), _step; !(_step = _iterator()).done;) {
		var row = _step.value;
		if (Array.isArray(row)) return;
		else throw new Error("Expected each sheet data row to be an array");
	}
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/initializeSharedStrings.js
function initializeSharedStrings() {
	var sharedStrings = [];
	var sharedStringIdByString = {};
	return {
		getSharedStrings: function getSharedStrings() {
			return sharedStrings;
		},
		findOrCreateSharedString: function findOrCreateSharedString(string) {
			var id = sharedStringIdByString[string];
			if (id === void 0) {
				id = sharedStrings.length;
				sharedStringIdByString[string] = id;
				sharedStrings.push(string);
			}
			return id;
		}
	};
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/validateSheetName.js
var ILLEGAL_CHARACTERS_IN_SHEET_NAME = /[\[\]\/\\:*?]+/;
function validateSheetName(sheetName) {
	if (!sheetName) throw new Error("Sheet name can't be empty");
	if (sheetName.length > 31) throw new Error("Sheet name \"".concat(sheetName, "\" can't be longer than 31 characters"));
	if (ILLEGAL_CHARACTERS_IN_SHEET_NAME.test(sheetName)) throw new Error("Sheet name \"".concat(sheetName, "\" contains illegal characters: []/\\:*?"));
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/initializeSheets.js
function _createForOfIteratorHelperLoose$2(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$2(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$2(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$2(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$2(r, a) : void 0;
	}
}
function _arrayLikeToArray$2(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function initializeSheets(sheetsData, sheetsOptions, globalOptions) {
	var _initializeSharedStri = initializeSharedStrings(), getSharedStrings = _initializeSharedStri.getSharedStrings, findOrCreateSharedString = _initializeSharedStri.findOrCreateSharedString;
	var defaultFont = getDefaultFont(globalOptions);
	var _initializeStyles = initializeStyles(defaultFont), getCellStyles = _initializeStyles.getCellStyles, findOrCreateCellStyle = _initializeStyles.findOrCreateCellStyle;
	var sheetNames = sheetsOptions.map(function(sheetOptions) {
		return sheetOptions.sheet;
	});
	for (var _iterator = _createForOfIteratorHelperLoose$2(sheetNames), _step; !(_step = _iterator()).done;) {
		var sheetName = _step.value;
		validateSheetName(sheetName);
	}
	var sheetXmlParameters = [];
	var sheetIndex = 0;
	while (sheetIndex < sheetNames.length) {
		sheetXmlParameters.push({
			sheetData: sheetsData[sheetIndex],
			sheetOptions: sheetsOptions[sheetIndex],
			sheetIndex,
			sheetId: getSheetId(sheetIndex),
			hasDefaultFont: Boolean(defaultFont),
			findOrCreateCellStyle,
			findOrCreateSharedString
		});
		sheetIndex++;
	}
	return {
		sheets: sheetNames.map(function(sheetName, _i) {
			var sheetIndex = _i;
			return {
				sheetId: getSheetId(sheetIndex),
				sheetName,
				sheetXmlParameters: sheetXmlParameters[sheetIndex]
			};
		}),
		getSharedStrings,
		getCellStyles
	};
}
function getSheetId(sheetIndex) {
	return String(sheetIndex + 1);
}
function getDefaultFont(globalOptions) {
	var fontFamily = globalOptions.fontFamily, fontSize = globalOptions.fontSize;
	if (fontFamily || typeof fontSize === "number") return {
		fontFamily,
		fontSize
	};
}
// ../../../work/main/node_modules/write-excel-file/modules/getSheetData/getSheetData.js
function getSheetData(objects, columns) {
	var headerRow;
	if (columns.some(function(column) {
		return column.header;
	})) headerRow = columns.map(function(_ref) {
		return _ref.header || null;
	});
	return (headerRow ? [headerRow] : []).concat(objects.map(function(object, objectIndex) {
		return columns.map(function(_ref2) {
			var cell = _ref2.cell;
			return cell(object, objectIndex);
		});
	}));
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/helpers/features/getWrittenFiles.js
function _typeof$1(o) {
	"@babel/helpers - typeof";
	return _typeof$1 = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o) {
		return typeof o;
	} : function(o) {
		return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o;
	}, _typeof$1(o);
}
function ownKeys$1(e, r) {
	var t = Object.keys(e);
	if (Object.getOwnPropertySymbols) {
		var o = Object.getOwnPropertySymbols(e);
		r && (o = o.filter(function(r) {
			return Object.getOwnPropertyDescriptor(e, r).enumerable;
		})), t.push.apply(t, o);
	}
	return t;
}
function _objectSpread$1(e) {
	for (var r = 1; r < arguments.length; r++) {
		var t = null != arguments[r] ? arguments[r] : {};
		r % 2 ? ownKeys$1(Object(t), !0).forEach(function(r) {
			_defineProperty$1(e, r, t[r]);
		}) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(t)) : ownKeys$1(Object(t)).forEach(function(r) {
			Object.defineProperty(e, r, Object.getOwnPropertyDescriptor(t, r));
		});
	}
	return e;
}
function _defineProperty$1(e, r, t) {
	return (r = _toPropertyKey$1(r)) in e ? Object.defineProperty(e, r, {
		value: t,
		enumerable: !0,
		configurable: !0,
		writable: !0
	}) : e[r] = t, e;
}
function _toPropertyKey$1(t) {
	var i = _toPrimitive$1(t, "string");
	return "symbol" == _typeof$1(i) ? i : i + "";
}
function _toPrimitive$1(t, r) {
	if ("object" != _typeof$1(t) || !t) return t;
	var e = t[Symbol.toPrimitive];
	if (void 0 !== e) {
		var i = e.call(t, r || "default");
		if ("object" != _typeof$1(i)) return i;
		throw new TypeError("@@toPrimitive must return a primitive value.");
	}
	return ("string" === r ? String : Number)(t);
}
function _createForOfIteratorHelperLoose$1(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray$1(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray$1(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray$1(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray$1(r, a) : void 0;
	}
}
function _arrayLikeToArray$1(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
function getWrittenFiles(features, sheetsOptions, _ref) {
	var read = _ref.read;
	var writtenFiles = {};
	for (var _iterator = _createForOfIteratorHelperLoose$1(features), _step; !(_step = _iterator()).done;) {
		var feature = _step.value;
		if (feature.files && feature.files.write) {
			if (feature.files.write.files) {
				var files = feature.files.write.files(sheetsOptions, { read });
				if (files) writtenFiles = _objectSpread$1(_objectSpread$1({}, writtenFiles), files);
			}
		}
	}
	return writtenFiles;
}
// ../../../work/main/node_modules/write-excel-file/modules/xlsx/generateXlsxFileContents.js
function _typeof(o) {
	"@babel/helpers - typeof";
	return _typeof = "function" == typeof Symbol && "symbol" == typeof Symbol.iterator ? function(o) {
		return typeof o;
	} : function(o) {
		return o && "function" == typeof Symbol && o.constructor === Symbol && o !== Symbol.prototype ? "symbol" : typeof o;
	}, _typeof(o);
}
var _excluded = ["data"];
function ownKeys(e, r) {
	var t = Object.keys(e);
	if (Object.getOwnPropertySymbols) {
		var o = Object.getOwnPropertySymbols(e);
		r && (o = o.filter(function(r) {
			return Object.getOwnPropertyDescriptor(e, r).enumerable;
		})), t.push.apply(t, o);
	}
	return t;
}
function _objectSpread(e) {
	for (var r = 1; r < arguments.length; r++) {
		var t = null != arguments[r] ? arguments[r] : {};
		r % 2 ? ownKeys(Object(t), !0).forEach(function(r) {
			_defineProperty(e, r, t[r]);
		}) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(t)) : ownKeys(Object(t)).forEach(function(r) {
			Object.defineProperty(e, r, Object.getOwnPropertyDescriptor(t, r));
		});
	}
	return e;
}
function _defineProperty(e, r, t) {
	return (r = _toPropertyKey(r)) in e ? Object.defineProperty(e, r, {
		value: t,
		enumerable: !0,
		configurable: !0,
		writable: !0
	}) : e[r] = t, e;
}
function _toPropertyKey(t) {
	var i = _toPrimitive(t, "string");
	return "symbol" == _typeof(i) ? i : i + "";
}
function _toPrimitive(t, r) {
	if ("object" != _typeof(t) || !t) return t;
	var e = t[Symbol.toPrimitive];
	if (void 0 !== e) {
		var i = e.call(t, r || "default");
		if ("object" != _typeof(i)) return i;
		throw new TypeError("@@toPrimitive must return a primitive value.");
	}
	return ("string" === r ? String : Number)(t);
}
function _objectWithoutProperties(e, t) {
	if (null == e) return {};
	var o, r, i = _objectWithoutPropertiesLoose(e, t);
	if (Object.getOwnPropertySymbols) {
		var n = Object.getOwnPropertySymbols(e);
		for (r = 0; r < n.length; r++) o = n[r], -1 === t.indexOf(o) && {}.propertyIsEnumerable.call(e, o) && (i[o] = e[o]);
	}
	return i;
}
function _objectWithoutPropertiesLoose(r, e) {
	if (null == r) return {};
	var t = {};
	for (var n in r) if ({}.hasOwnProperty.call(r, n)) {
		if (-1 !== e.indexOf(n)) continue;
		t[n] = r[n];
	}
	return t;
}
function _createForOfIteratorHelperLoose(r, e) {
	var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"];
	if (t) return (t = t.call(r)).next.bind(t);
	if (Array.isArray(r) || (t = _unsupportedIterableToArray(r)) || e && r && "number" == typeof r.length) {
		t && (r = t);
		var o = 0;
		return function() {
			return o >= r.length ? { done: !0 } : {
				done: !1,
				value: r[o++]
			};
		};
	}
	throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.");
}
function _unsupportedIterableToArray(r, a) {
	if (r) {
		if ("string" == typeof r) return _arrayLikeToArray(r, a);
		var t = {}.toString.call(r).slice(8, -1);
		return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray(r, a) : void 0;
	}
}
function _arrayLikeToArray(r, a) {
	(null == a || a > r.length) && (a = r.length);
	for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e];
	return n;
}
/**
* Creates contents (files) an `*.xlsx` file.
* @param {SheetData|Object[]|Sheet[]} arg1
* @param {object} arg2 — If `arg1` is `SheetData`, `arg2` is `SheetOptions` and `arg3` is `Options`. If `arg1` is `Sheet[]`, `arg2` is `Options`.
* @param {object} [arg3] — If `arg1` is `SheetData`, `arg2` is `SheetOptions` and `arg3` is `Options`. If `arg1` is `Sheet[]`, `arg2` is `Options`.
* @return {Record<string,string|Blob>} A map of files that exist inside an `.xlsx` file.
*/
function generateXlsxFileContents(arg1, arg2, arg3) {
	var _getArguments = getArguments(arg1, arg2, arg3), sheetsDataAndOptions = _getArguments.sheets, options = _getArguments.options;
	var sheetsData = sheetsDataAndOptions.map(function(sheet) {
		return sheet.data;
	});
	var sheetsOptions = sheetsDataAndOptions.map(function(sheet) {
		return sheet.options;
	});
	sheetsOptions = setSheetNames(sheetsOptions);
	sheetsOptions = setConditionalFormattingRulesGlobalIndexes(sheetsOptions);
	var features = getFeatures(options.features);
	var files = {};
	var readFile = function readFile(path) {
		return files[path];
	};
	var writeFiles = function writeFiles(filesToWrite) {
		for (var _i = 0, _Object$keys = Object.keys(filesToWrite); _i < _Object$keys.length; _i++) {
			var path = _Object$keys[_i];
			validateFilePath(path);
			validateFileContent(path, filesToWrite[path]);
			files[path] = filesToWrite[path];
		}
	};
	var _initializeSheets = initializeSheets(sheetsData, sheetsOptions, options), sheets = _initializeSheets.sheets, getSharedStrings = _initializeSheets.getSharedStrings, getCellStyles = _initializeSheets.getCellStyles;
	files["[Content_Types].xml"] = generateContentTypesXml({
		sheetIds: sheets.map(function(_) {
			return _.sheetId;
		}),
		features,
		sheetsOptions
	});
	files["_rels/.rels"] = generateRelsXml({
		features,
		sheetsOptions
	});
	files["xl/_rels/workbook.xml.rels"] = generateWorkbookXmlRels({
		sheetIds: sheets.map(function(_) {
			return _.sheetId;
		}),
		features,
		sheetsOptions
	});
	files["xl/workbook.xml"] = generateWorkbookXml({
		sheetIdsAndNames: sheets.map(function(_ref) {
			return {
				sheetId: _ref.sheetId,
				sheetName: _ref.sheetName
			};
		}),
		features,
		sheetsOptions
	});
	var sheetIndex = 0;
	for (var _iterator = _createForOfIteratorHelperLoose(sheets), _step; !(_step = _iterator()).done;) {
		var _step$value = _step.value, sheetId = _step$value.sheetId, sheetXmlParameters = _step$value.sheetXmlParameters;
		var sheetOptions = sheetsOptions[sheetIndex];
		files["xl/worksheets/sheet".concat(sheetId, ".xml")] = generateSheetXml(sheetXmlParameters, features);
		files["xl/worksheets/_rels/sheet".concat(sheetId, ".xml.rels")] = generateSheetXmlRels({
			sheetIndex,
			sheetId,
			sheetOptions,
			features
		});
		files["xl/drawings/drawing".concat(sheetId, ".xml")] = generateDrawingXml({
			sheetIndex,
			sheetId,
			sheetOptions,
			features
		});
		files["xl/drawings/_rels/drawing".concat(sheetId, ".xml.rels")] = generateDrawingXmlRels({
			sheetIndex,
			sheetId,
			sheetOptions,
			features
		});
		sheetIndex++;
	}
	writeFiles(getWrittenFiles(features, sheetsOptions, { read: readFile }));
	files["xl/styles.xml"] = generateStylesXml(getCellStyles(), sheetsOptions, features);
	files["xl/sharedStrings.xml"] = generateSharedStringsXml(getSharedStrings());
	removeUnusedDrawings(files, sheets);
	return files;
}
function removeUnusedDrawings(files, sheets) {
	for (var _iterator2 = _createForOfIteratorHelperLoose(sheets), _step2; !(_step2 = _iterator2()).done;) {
		var sheetId = _step2.value.sheetId;
		if (files["xl/drawings/drawing".concat(sheetId, ".xml")] === "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><xdr:wsDr xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"></xdr:wsDr>") {
			delete files["xl/drawings/drawing".concat(sheetId, ".xml")];
			delete files["xl/drawings/_rels/drawing".concat(sheetId, ".xml.rels")];
			if (!removeSubstring(files, "xl/worksheets/sheet".concat(sheetId, ".xml"), generateDrawingReference(getSelfClosingTagMarkup))) throw new Error(COULD_NOT_REMOVE_UNUSED_DRAWINGS);
			removeSubstring(files, "xl/worksheets/_rels/sheet".concat(sheetId, ".xml.rels"), getDrawingRelationshipXml(sheetId));
			removeSubstring(files, "[Content_Types].xml", getDrawingContentTypeXml(sheetId));
		}
	}
}
var COULD_NOT_REMOVE_UNUSED_DRAWINGS = "Couldn't remove unused drawings";
function removeSubstring(files, key, substring) {
	if (!files[key]) throw new Error("File not found: ".concat(key));
	if (files[key].indexOf(substring) < 0) throw new Error("Substring \"".concat(substring, "\" not found in \"").concat(key, "\""));
	var stringBeforeRemoval = files[key];
	var stringAfterRemoval = stringBeforeRemoval.replace(substring, "");
	files[key] = stringAfterRemoval;
	return stringBeforeRemoval !== stringAfterRemoval;
}
function validateFilePath(path) {
	if (path[0] === "/") throw new Error("File path must not start with a slash (/)");
}
function validateFileContent(path, content) {
	if (!content) throw new Error("File `content` not specified: ".concat(path));
}
function getArguments(arg1, arg2, arg3) {
	if (Array.isArray(arg1)) {
		if (arg1.length === 0 || Array.isArray(arg1[0])) {
			validateSheetData(arg1);
			if (Array.isArray(arg1[0]) && arg1.length > 0 && Array.isArray(arg1[0][0])) throw new Error("In order to write multiple sheets, pass an array of sheet objects");
			return {
				sheets: [{
					data: arg1,
					options: arg2 || {}
				}],
				options: arg3 || {}
			};
		} else if (isObject(arg1[0])) {
			if (isObject(arg2) && Array.isArray(arg2.schema)) throw new Error("`schema` parameter was removed, use `columns` parameter instead");
			if (isObject(arg2) && Array.isArray(arg2.columns)) return getArguments(getSheetData(arg1, arg2.columns), arg2, arg3);
			return {
				sheets: arg1.map(function(_ref2) {
					var data = _ref2.data, options = _objectWithoutProperties(_ref2, _excluded);
					if (!data) throw new Error("`data` property is required for each sheet");
					validateSheetData(data);
					return {
						data,
						options: options || {}
					};
				}),
				options: arg2 || {}
			};
		} else throw new Error("Invalid first argument: must be either sheet data — an array of arrays — or an array of sheet objects");
	} else throw new Error("Invalid first argument: must be an array");
}
function setSheetNames(sheetsOptions) {
	return sheetsOptions.map(function(sheetOptions, sheetIndex) {
		return _objectSpread(_objectSpread({}, sheetOptions), {}, { sheet: sheetOptions.sheet || "Sheet".concat(sheetIndex + 1) });
	});
}
function setConditionalFormattingRulesGlobalIndexes(sheetsOptions) {
	var globalIndex = 0;
	return sheetsOptions.map(function(sheetOptions) {
		return _objectSpread(_objectSpread({}, sheetOptions), {}, { conditionalFormatting: sheetOptions.conditionalFormatting && sheetOptions.conditionalFormatting.map(function(conditionalFormattingRule) {
			return _objectSpread(_objectSpread({}, conditionalFormattingRule), {}, { _globalIndex: globalIndex++ });
		}) });
	});
}
// ../../../work/main/node_modules/fflate/esm/index.mjs
var require = createRequire("/");
var _a;
var Worker;
var isMarkedAsUntransferable;
var workerAdd = ";var __w=require('worker_threads');__w.parentPort.on('message',function(m){onmessage({data:m})}),postMessage=function(m,t){__w.parentPort.postMessage(m,t)},close=process.exit;self=global";
try {
	_a = require("worker_threads"), Worker = _a.Worker, isMarkedAsUntransferable = _a.isMarkedAsUntransferable;
} catch (e) {}
var wk = Worker ? function(c, _, msg, transfer, cb) {
	var done = false;
	var w = new Worker(c + workerAdd, { eval: true }).on("error", function(e) {
		return cb(e, null);
	}).on("message", function(m) {
		return cb(null, m);
	}).on("exit", function(c) {
		if (c && !done) cb(/* @__PURE__ */ new Error("exited with code " + c), null);
	});
	if (isMarkedAsUntransferable) transfer = transfer.filter(function(t) {
		return !isMarkedAsUntransferable(t);
	});
	w.postMessage(msg, transfer);
	w.terminate = function() {
		done = true;
		return Worker.prototype.terminate.call(w);
	};
	return w;
} : function(_, __, ___, ____, cb) {
	setImmediate(function() {
		return cb(/* @__PURE__ */ new Error("async operations unsupported - update to Node 12+ (or Node 10-11 with the --experimental-worker CLI flag)"), null);
	});
	var NOP = function() {};
	return {
		terminate: NOP,
		postMessage: NOP
	};
};
var u8 = Uint8Array;
var u16 = Uint16Array;
var i32 = Int32Array;
var fleb = new u8([
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	1,
	1,
	1,
	2,
	2,
	2,
	2,
	3,
	3,
	3,
	3,
	4,
	4,
	4,
	4,
	5,
	5,
	5,
	5,
	0,
	0,
	0,
	0
]);
var fdeb = new u8([
	0,
	0,
	0,
	0,
	1,
	1,
	2,
	2,
	3,
	3,
	4,
	4,
	5,
	5,
	6,
	6,
	7,
	7,
	8,
	8,
	9,
	9,
	10,
	10,
	11,
	11,
	12,
	12,
	13,
	13,
	0,
	0
]);
var clim = new u8([
	16,
	17,
	18,
	0,
	8,
	7,
	9,
	6,
	10,
	5,
	11,
	4,
	12,
	3,
	13,
	2,
	14,
	1,
	15
]);
var freb = function(eb, start) {
	var b = new u16(31);
	for (var i = 0; i < 31; ++i) b[i] = start += 1 << eb[i - 1];
	var r = new i32(b[30]);
	for (var i = 1; i < 30; ++i) for (var j = b[i]; j < b[i + 1]; ++j) r[j] = j - b[i] << 5 | i;
	return {
		b,
		r
	};
};
var _a = freb(fleb, 2);
var fl = _a.b;
var revfl = _a.r;
fl[28] = 258, revfl[258] = 28;
var _b = freb(fdeb, 0);
_b.b;
var revfd = _b.r;
var rev = new u16(32768);
for (var i = 0; i < 32768; ++i) {
	var x = (i & 43690) >> 1 | (i & 21845) << 1;
	x = (x & 52428) >> 2 | (x & 13107) << 2;
	x = (x & 61680) >> 4 | (x & 3855) << 4;
	rev[i] = ((x & 65280) >> 8 | (x & 255) << 8) >> 1;
}
var hMap = (function(cd, mb, r) {
	var s = cd.length;
	var i = 0;
	var l = new u16(mb);
	for (; i < s; ++i) if (cd[i]) ++l[cd[i] - 1];
	var le = new u16(mb);
	for (i = 1; i < mb; ++i) le[i] = le[i - 1] + l[i - 1] << 1;
	var co;
	if (r) {
		co = new u16(1 << mb);
		var rvb = 15 - mb;
		for (i = 0; i < s; ++i) if (cd[i]) {
			var sv = i << 4 | cd[i];
			var r_1 = mb - cd[i];
			var v = le[cd[i] - 1]++ << r_1;
			for (var m = v | (1 << r_1) - 1; v <= m; ++v) co[rev[v] >> rvb] = sv;
		}
	} else {
		co = new u16(s);
		for (i = 0; i < s; ++i) if (cd[i]) co[i] = rev[le[cd[i] - 1]++] >> 15 - cd[i];
	}
	return co;
});
var flt = new u8(288);
for (var i = 0; i < 144; ++i) flt[i] = 8;
for (var i = 144; i < 256; ++i) flt[i] = 9;
for (var i = 256; i < 280; ++i) flt[i] = 7;
for (var i = 280; i < 288; ++i) flt[i] = 8;
var fdt = new u8(32);
for (var i = 0; i < 32; ++i) fdt[i] = 5;
var flm = /*#__PURE__*/ hMap(flt, 9, 0);
var fdm = /*#__PURE__*/ hMap(fdt, 5, 0);
var shft = function(p) {
	return (p + 7) / 8 | 0;
};
var slc = function(v, s, e) {
	if (s == null || s < 0) s = 0;
	if (e == null || e > v.length) e = v.length;
	return new u8(v.subarray(s, e));
};
var ec = [
	"unexpected EOF",
	"invalid block type",
	"invalid length/literal",
	"invalid distance",
	"stream finished",
	"no stream handler",
	,
	"no callback",
	"invalid UTF-8 data",
	"extra field too long",
	"date not in range 1980-2099",
	"filename too long",
	"stream finishing",
	"invalid zip data"
];
var err = function(ind, msg, nt) {
	var e = new Error(msg || ec[ind]);
	e.code = ind;
	if (Error.captureStackTrace) Error.captureStackTrace(e, err);
	if (!nt) throw e;
	return e;
};
var wbits = function(d, p, v) {
	v <<= p & 7;
	var o = p / 8 | 0;
	d[o] |= v;
	d[o + 1] |= v >> 8;
};
var wbits16 = function(d, p, v) {
	v <<= p & 7;
	var o = p / 8 | 0;
	d[o] |= v;
	d[o + 1] |= v >> 8;
	d[o + 2] |= v >> 16;
};
var hTree = function(d, mb) {
	var t = [];
	for (var i = 0; i < d.length; ++i) if (d[i]) t.push({
		s: i,
		f: d[i]
	});
	var s = t.length;
	var t2 = t.slice();
	if (!s) return {
		t: et,
		l: 0
	};
	if (s == 1) {
		var v = new u8(t[0].s + 1);
		v[t[0].s] = 1;
		return {
			t: v,
			l: 1
		};
	}
	t.sort(function(a, b) {
		return a.f - b.f;
	});
	t.push({
		s: -1,
		f: 25001
	});
	var l = t[0], r = t[1], i0 = 0, i1 = 1, i2 = 2;
	t[0] = {
		s: -1,
		f: l.f + r.f,
		l,
		r
	};
	while (i1 != s - 1) {
		l = t[t[i0].f < t[i2].f ? i0++ : i2++];
		r = t[i0 != i1 && t[i0].f < t[i2].f ? i0++ : i2++];
		t[i1++] = {
			s: -1,
			f: l.f + r.f,
			l,
			r
		};
	}
	var maxSym = t2[0].s;
	for (var i = 1; i < s; ++i) if (t2[i].s > maxSym) maxSym = t2[i].s;
	var tr = new u16(maxSym + 1);
	var mbt = ln(t[i1 - 1], tr, 0);
	if (mbt > mb) {
		var i = 0, dt = 0;
		var lft = mbt - mb, cst = 1 << lft;
		t2.sort(function(a, b) {
			return tr[b.s] - tr[a.s] || a.f - b.f;
		});
		for (; i < s; ++i) {
			var i2_1 = t2[i].s;
			if (tr[i2_1] > mb) {
				dt += cst - (1 << mbt - tr[i2_1]);
				tr[i2_1] = mb;
			} else break;
		}
		dt >>= lft;
		while (dt > 0) {
			var i2_2 = t2[i].s;
			if (tr[i2_2] < mb) dt -= 1 << mb - tr[i2_2]++ - 1;
			else ++i;
		}
		for (; i >= 0 && dt; --i) {
			var i2_3 = t2[i].s;
			if (tr[i2_3] == mb) {
				--tr[i2_3];
				++dt;
			}
		}
		mbt = mb;
	}
	return {
		t: new u8(tr),
		l: mbt
	};
};
var ln = function(n, l, d) {
	return n.s == -1 ? Math.max(ln(n.l, l, d + 1), ln(n.r, l, d + 1)) : l[n.s] = d;
};
var lc = function(c) {
	var s = c.length;
	while (s && !c[--s]);
	var cl = new u16(++s);
	var cli = 0, cln = c[0], cls = 1;
	var w = function(v) {
		cl[cli++] = v;
	};
	for (var i = 1; i <= s; ++i) if (c[i] == cln && i != s) ++cls;
	else {
		if (!cln && cls > 2) {
			for (; cls > 138; cls -= 138) w(32754);
			if (cls > 2) {
				w(cls > 10 ? cls - 11 << 5 | 28690 : cls - 3 << 5 | 12305);
				cls = 0;
			}
		} else if (cls > 3) {
			w(cln), --cls;
			for (; cls > 6; cls -= 6) w(8304);
			if (cls > 2) w(cls - 3 << 5 | 8208), cls = 0;
		}
		while (cls--) w(cln);
		cls = 1;
		cln = c[i];
	}
	return {
		c: cl.subarray(0, cli),
		n: s
	};
};
var clen = function(cf, cl) {
	var l = 0;
	for (var i = 0; i < cl.length; ++i) l += cf[i] * cl[i];
	return l;
};
var wfblk = function(out, pos, dat) {
	var s = dat.length;
	var o = shft(pos + 2);
	out[o] = s & 255;
	out[o + 1] = s >> 8;
	out[o + 2] = out[o] ^ 255;
	out[o + 3] = out[o + 1] ^ 255;
	for (var i = 0; i < s; ++i) out[o + i + 4] = dat[i];
	return (o + 4 + s) * 8;
};
var wblk = function(dat, out, final, syms, lf, df, eb, li, bs, bl, p) {
	wbits(out, p++, final);
	++lf[256];
	var _a = hTree(lf, 15), dlt = _a.t, mlb = _a.l;
	var _b = hTree(df, 15), ddt = _b.t, mdb = _b.l;
	var _c = lc(dlt), lclt = _c.c, nlc = _c.n;
	var _d = lc(ddt), lcdt = _d.c, ndc = _d.n;
	var lcfreq = new u16(19);
	for (var i = 0; i < lclt.length; ++i) ++lcfreq[lclt[i] & 31];
	for (var i = 0; i < lcdt.length; ++i) ++lcfreq[lcdt[i] & 31];
	var _e = hTree(lcfreq, 7), lct = _e.t, mlcb = _e.l;
	var nlcc = 19;
	for (; nlcc > 4 && !lct[clim[nlcc - 1]]; --nlcc);
	var flen = bl + 5 << 3;
	var ftlen = clen(lf, flt) + clen(df, fdt) + eb;
	var dtlen = clen(lf, dlt) + clen(df, ddt) + eb + 14 + 3 * nlcc + clen(lcfreq, lct) + 2 * lcfreq[16] + 3 * lcfreq[17] + 7 * lcfreq[18];
	if (bs >= 0 && flen <= ftlen && flen <= dtlen) return wfblk(out, p, dat.subarray(bs, bs + bl));
	var lm, ll, dm, dl;
	wbits(out, p, 1 + (dtlen < ftlen)), p += 2;
	if (dtlen < ftlen) {
		lm = hMap(dlt, mlb, 0), ll = dlt, dm = hMap(ddt, mdb, 0), dl = ddt;
		var llm = hMap(lct, mlcb, 0);
		wbits(out, p, nlc - 257);
		wbits(out, p + 5, ndc - 1);
		wbits(out, p + 10, nlcc - 4);
		p += 14;
		for (var i = 0; i < nlcc; ++i) wbits(out, p + 3 * i, lct[clim[i]]);
		p += 3 * nlcc;
		var lcts = [lclt, lcdt];
		for (var it = 0; it < 2; ++it) {
			var clct = lcts[it];
			for (var i = 0; i < clct.length; ++i) {
				var len = clct[i] & 31;
				wbits(out, p, llm[len]), p += lct[len];
				if (len > 15) wbits(out, p, clct[i] >> 5 & 127), p += clct[i] >> 12;
			}
		}
	} else lm = flm, ll = flt, dm = fdm, dl = fdt;
	for (var i = 0; i < li; ++i) {
		var sym = syms[i];
		if (sym > 255) {
			var len = sym >> 18 & 31;
			wbits16(out, p, lm[len + 257]), p += ll[len + 257];
			if (len > 7) wbits(out, p, sym >> 23 & 31), p += fleb[len];
			var dst = sym & 31;
			wbits16(out, p, dm[dst]), p += dl[dst];
			if (dst > 3) wbits16(out, p, sym >> 5 & 8191), p += fdeb[dst];
		} else wbits16(out, p, lm[sym]), p += ll[sym];
	}
	wbits16(out, p, lm[256]);
	return p + ll[256];
};
var deo = /*#__PURE__*/ new i32([
	65540,
	131080,
	131088,
	131104,
	262176,
	1048704,
	1048832,
	2114560,
	2117632
]);
var et = /*#__PURE__*/ new u8(0);
var dflt = function(dat, lvl, plvl, pre, post, st) {
	var s = st.z || dat.length;
	var o = new u8(pre + s + 5 * (1 + Math.ceil(s / 7e3)) + post);
	var w = o.subarray(pre, o.length - post);
	var lst = st.l;
	var pos = (st.r || 0) & 7;
	if (lvl) {
		if (pos) w[0] = st.r >> 3;
		var opt = deo[lvl - 1];
		var n = opt >> 13, c = opt & 8191;
		var msk_1 = (1 << plvl) - 1;
		var prev = st.p || new u16(32768), head = st.h || new u16(msk_1 + 1);
		var bs1_1 = Math.ceil(plvl / 3), bs2_1 = 2 * bs1_1;
		var hsh = function(i) {
			return (dat[i] ^ dat[i + 1] << bs1_1 ^ dat[i + 2] << bs2_1) & msk_1;
		};
		var syms = new i32(25e3);
		var lf = new u16(288), df = new u16(32);
		var lc_1 = 0, eb = 0, i = st.i || 0, li = 0, wi = st.w || 0, bs = 0;
		for (; i + 2 < s; ++i) {
			var hv = hsh(i);
			var imod = i & 32767, pimod = head[hv];
			prev[imod] = pimod;
			head[hv] = imod;
			if (wi <= i) {
				var rem = s - i;
				if ((lc_1 > 7e3 || li > 24576) && (rem > 423 || !lst)) {
					pos = wblk(dat, w, 0, syms, lf, df, eb, li, bs, i - bs, pos);
					li = lc_1 = eb = 0, bs = i;
					for (var j = 0; j < 286; ++j) lf[j] = 0;
					for (var j = 0; j < 30; ++j) df[j] = 0;
				}
				var l = 2, d = 0, ch_1 = c, dif = imod - pimod & 32767;
				if (rem > 2 && hv == hsh(i - dif)) {
					var maxn = Math.min(n, rem) - 1;
					var maxd = Math.min(32767, i);
					var ml = Math.min(258, rem);
					while (dif <= maxd && --ch_1 && imod != pimod) {
						if (dat[i + l] == dat[i + l - dif]) {
							var nl = 0;
							for (; nl < ml && dat[i + nl] == dat[i + nl - dif]; ++nl);
							if (nl > l) {
								l = nl, d = dif;
								if (nl > maxn) break;
								var mmd = Math.min(dif, nl - 2);
								var md = 0;
								for (var j = 0; j < mmd; ++j) {
									var ti = i - dif + j & 32767;
									var cd = ti - prev[ti] & 32767;
									if (cd > md) md = cd, pimod = ti;
								}
							}
						}
						imod = pimod, pimod = prev[imod];
						dif += imod - pimod & 32767;
					}
				}
				if (d) {
					syms[li++] = 268435456 | revfl[l] << 18 | revfd[d];
					var lin = revfl[l] & 31, din = revfd[d] & 31;
					eb += fleb[lin] + fdeb[din];
					++lf[257 + lin];
					++df[din];
					wi = i + l;
					++lc_1;
				} else {
					syms[li++] = dat[i];
					++lf[dat[i]];
				}
			}
		}
		for (i = Math.max(i, wi); i < s; ++i) {
			syms[li++] = dat[i];
			++lf[dat[i]];
		}
		pos = wblk(dat, w, lst, syms, lf, df, eb, li, bs, i - bs, pos);
		if (!lst) {
			st.r = pos & 7 | w[pos / 8 | 0] << 3;
			pos -= 7;
			st.h = head, st.p = prev, st.i = i, st.w = wi;
		}
	} else {
		for (var i = st.w || 0; i < s + lst; i += 65535) {
			var e = i + 65535;
			if (e >= s) {
				w[pos / 8 | 0] = lst;
				e = s;
			}
			pos = wfblk(w, pos + 1, dat.subarray(i, e));
		}
		st.i = s;
	}
	return slc(o, 0, pre + shft(pos) + post);
};
var crct = /*#__PURE__*/ (function() {
	var t = /* @__PURE__ */ new Int32Array(256);
	for (var i = 0; i < 256; ++i) {
		var c = i, k = 9;
		while (--k) c = (c & 1 && -306674912) ^ c >>> 1;
		t[i] = c;
	}
	return t;
})();
var crc = function() {
	var c = -1;
	return {
		p: function(d) {
			var cr = c;
			for (var i = 0; i < d.length; ++i) cr = crct[cr & 255 ^ d[i]] ^ cr >>> 8;
			c = cr;
		},
		d: function() {
			return ~c;
		}
	};
};
var dopt = function(dat, opt, pre, post, st) {
	if (!st) {
		st = { l: 1 };
		if (opt.dictionary) {
			var dict = opt.dictionary.subarray(-32768);
			var newDat = new u8(dict.length + dat.length);
			newDat.set(dict);
			newDat.set(dat, dict.length);
			dat = newDat;
			st.w = dict.length;
		}
	}
	return dflt(dat, opt.level == null ? 6 : opt.level, opt.mem == null ? st.l ? Math.ceil(Math.max(8, Math.min(13, Math.log(dat.length))) * 1.5) : 20 : 12 + opt.mem, pre, post, st);
};
var mrg = function(a, b) {
	var o = {};
	for (var k in a) o[k] = a[k];
	for (var k in b) o[k] = b[k];
	return o;
};
var wcln = function(fn, fnStr, td) {
	var dt = fn();
	var st = fn.toString();
	var ks = st.slice(st.indexOf("[") + 1, st.lastIndexOf("]")).replace(/\s+/g, "").split(",");
	for (var i = 0; i < dt.length; ++i) {
		var v = dt[i], k = ks[i];
		if (typeof v == "function") {
			fnStr += ";" + k + "=";
			var st_1 = v.toString();
			if (v.prototype) {
				if (st_1.indexOf("[native code]") != -1) {
					var spInd = st_1.indexOf(" ", 8) + 1;
					fnStr += st_1.slice(spInd, st_1.indexOf("(", spInd));
				} else {
					fnStr += st_1;
					for (var t in v.prototype) fnStr += ";" + k + ".prototype." + t + "=" + v.prototype[t].toString();
				}
			} else fnStr += st_1;
		} else td[k] = v;
	}
	return fnStr;
};
var ch = [];
var cbfs = function(v) {
	var tl = [];
	for (var k in v) if (v[k].buffer) tl.push((v[k] = new v[k].constructor(v[k])).buffer);
	return tl;
};
var wrkr = function(fns, init, id, cb) {
	if (!ch[id]) {
		var fnStr = "", td_1 = {}, m = fns.length - 1;
		for (var i = 0; i < m; ++i) fnStr = wcln(fns[i], fnStr, td_1);
		ch[id] = {
			c: wcln(fns[m], fnStr, td_1),
			e: td_1
		};
	}
	var td = mrg({}, ch[id].e);
	return wk(ch[id].c + ";onmessage=function(e){for(var k in e.data)self[k]=e.data[k];onmessage=" + init.toString() + "}", id, td, cbfs(td), cb);
};
var bDflt = function() {
	return [
		u8,
		u16,
		i32,
		fleb,
		fdeb,
		clim,
		revfl,
		revfd,
		flm,
		flt,
		fdm,
		fdt,
		rev,
		deo,
		et,
		hMap,
		wbits,
		wbits16,
		hTree,
		ln,
		lc,
		clen,
		wfblk,
		wblk,
		shft,
		slc,
		dflt,
		dopt,
		deflateSync,
		pbf
	];
};
var pbf = function(msg) {
	return postMessage(msg, [msg.buffer]);
};
var astrm = function(strm) {
	strm.ondata = function(dat, final) {
		return postMessage([dat, final], [dat.buffer]);
	};
	return function(ev) {
		if (ev.data[0]) {
			strm.push(ev.data[0], ev.data[1]);
			postMessage([ev.data[0].length]);
		} else strm.flush(ev.data[1]);
	};
};
var astrmify = function(fns, strm, opts, init, id, flush, ext) {
	var t;
	var w = wrkr(fns, init, id, function(err, dat) {
		if (err) w.terminate(), strm.ondata.call(strm, err);
		else if (!Array.isArray(dat)) ext(dat);
		else if (dat.length == 1) {
			strm.queuedSize -= dat[0];
			if (strm.ondrain) strm.ondrain(dat[0]);
		} else {
			if (dat[1]) w.terminate();
			strm.ondata.call(strm, err, dat[0], dat[1]);
		}
	});
	w.postMessage(opts);
	strm.queuedSize = 0;
	strm.push = function(d, f) {
		if (!strm.ondata) err(5);
		if (t) strm.ondata(err(4, 0, 1), null, !!f);
		strm.queuedSize += d.length;
		w.postMessage([d, t = f], d.buffer instanceof ArrayBuffer ? [d.buffer] : []);
	};
	strm.terminate = function() {
		w.terminate();
	};
	if (flush) strm.flush = function(sync) {
		w.postMessage([0, sync]);
	};
};
var wbytes = function(d, b, v) {
	for (; v; ++b) d[b] = v, v >>>= 8;
};
function StrmOpt(opts, cb) {
	if (typeof opts == "function") cb = opts, opts = {};
	this.ondata = cb;
	return opts;
}
/**
* Streaming DEFLATE compression
*/
var Deflate = /* @__PURE__ */ function() {
	function Deflate(opts, cb) {
		if (typeof opts == "function") cb = opts, opts = {};
		this.ondata = cb;
		this.o = opts || {};
		this.s = {
			l: 0,
			i: 32768,
			w: 32768,
			z: 32768
		};
		this.b = new u8(98304);
		if (this.o.dictionary) {
			var dict = this.o.dictionary.subarray(-32768);
			this.b.set(dict, 32768 - dict.length);
			this.s.i = 32768 - dict.length;
		}
	}
	Deflate.prototype.p = function(c, f) {
		this.ondata(dopt(c, this.o, 0, 0, this.s), f);
	};
	/**
	* Pushes a chunk to be deflated
	* @param chunk The chunk to push
	* @param final Whether this is the last chunk
	*/
	Deflate.prototype.push = function(chunk, final) {
		if (!this.ondata) err(5);
		if (this.s.l) err(4);
		var endLen = chunk.length + this.s.z;
		if (endLen > this.b.length) {
			if (endLen > 2 * this.b.length - 32768) {
				var newBuf = new u8(endLen & -32768);
				newBuf.set(this.b.subarray(0, this.s.z));
				this.b = newBuf;
			}
			var split = this.b.length - this.s.z;
			this.b.set(chunk.subarray(0, split), this.s.z);
			this.s.z = this.b.length;
			this.p(this.b, false);
			this.b.set(this.b.subarray(-32768));
			this.b.set(chunk.subarray(split), 32768);
			this.s.z = chunk.length - split + 32768;
			this.s.i = 32766, this.s.w = 32768;
		} else {
			this.b.set(chunk, this.s.z);
			this.s.z += chunk.length;
		}
		this.s.l = final & 1;
		if (this.s.z > this.s.w + 8191 || final) {
			this.p(this.b, final || false);
			this.s.w = this.s.i, this.s.i -= 2;
		}
		if (final) {
			this.s = this.o = {};
			this.b = et;
		}
	};
	/**
	* Flushes buffered uncompressed data. Useful to immediately retrieve the
	* deflated output for small inputs.
	* @param sync Whether to flush to a byte boundary. A sync flush takes 4-5
	*             extra bytes, but guarantees all pushed data is immediately
	*             decompressible. A separate DEFLATE stream may be concatenated
	*             with the current output after a sync flush.
	*/
	Deflate.prototype.flush = function(sync) {
		if (!this.ondata) err(5);
		if (this.s.l) err(4);
		this.p(this.b, false);
		this.s.w = this.s.i, this.s.i -= 2;
		if (sync) {
			var c = new u8(6);
			c[0] = this.s.r >> 3;
			var ep = wfblk(c, this.s.r, et);
			this.s.r = 0;
			this.ondata(c.subarray(0, ep >> 3), false);
		}
	};
	return Deflate;
}();
/**
* Asynchronous streaming DEFLATE compression
*/
var AsyncDeflate = /* @__PURE__ */ function() {
	function AsyncDeflate(opts, cb) {
		astrmify([bDflt, function() {
			return [astrm, Deflate];
		}], this, StrmOpt.call(this, opts, cb), function(ev) {
			onmessage = astrm(new Deflate(ev.data));
		}, 6, 1);
	}
	return AsyncDeflate;
}();
/**
* Compresses data with DEFLATE without any wrapper
* @param data The data to compress
* @param opts The compression options
* @returns The deflated version of the data
*/
function deflateSync(data, opts) {
	return dopt(data, opts || {}, 0, 0);
}
var te = typeof TextEncoder != "undefined" && /*#__PURE__*/ new TextEncoder();
var td = typeof TextDecoder != "undefined" && /*#__PURE__*/ new TextDecoder();
try {
	td.decode(et, { stream: true });
} catch (e) {}
/**
* Converts a string into a Uint8Array for use with compression/decompression methods
* @param str The string to encode
* @param latin1 Whether or not to interpret the data as Latin-1. This should
*               not need to be true unless decoding a binary string.
* @returns The string encoded in UTF-8/Latin-1 binary
*/
function strToU8(str, latin1) {
	if (latin1) {
		var ar_1 = new u8(str.length);
		for (var i = 0; i < str.length; ++i) ar_1[i] = str.charCodeAt(i);
		return ar_1;
	}
	if (te) return te.encode(str);
	var l = str.length;
	var ar = new u8(str.length + (str.length >> 1));
	var ai = 0;
	var w = function(v) {
		ar[ai++] = v;
	};
	for (var i = 0; i < l; ++i) {
		if (ai + 5 > ar.length) {
			var n = new u8(ai + 8 + (l - i << 1));
			n.set(ar);
			ar = n;
		}
		var c = str.charCodeAt(i);
		if (c < 128 || latin1) w(c);
		else if (c < 2048) w(192 | c >> 6), w(128 | c & 63);
		else if (c > 55295 && c < 57344) c = 65536 + (c & 1047552) | str.charCodeAt(++i) & 1023, w(240 | c >> 18), w(128 | c >> 12 & 63), w(128 | c >> 6 & 63), w(128 | c & 63);
		else w(224 | c >> 12), w(128 | c >> 6 & 63), w(128 | c & 63);
	}
	return slc(ar, 0, ai);
}
var dbf = function(l) {
	return l == 1 ? 3 : l < 6 ? 2 : l == 9 ? 1 : 0;
};
var exfl = function(ex) {
	var le = 0;
	if (ex) for (var k in ex) {
		var l = ex[k].length;
		if (l > 65535) err(9);
		le += l + 4;
	}
	return le;
};
var wzh = function(d, b, f, fn, u, c, ce, co) {
	var fl = fn.length, ex = f.extra, col = co && co.length;
	var exl = exfl(ex);
	wbytes(d, b, ce != null ? 33639248 : 67324752), b += 4;
	if (ce != null) d[b++] = 20, d[b++] = f.os;
	d[b] = 20, b += 2;
	d[b++] = f.flag << 1 | (c < 0 && 8), d[b++] = u && 8;
	d[b++] = f.compression & 255, d[b++] = f.compression >> 8;
	var dt = new Date(f.mtime == null ? Date.now() : f.mtime), y = dt.getFullYear() - 1980;
	if (y < 0 || y > 119) err(10);
	wbytes(d, b, y << 25 | dt.getMonth() + 1 << 21 | dt.getDate() << 16 | dt.getHours() << 11 | dt.getMinutes() << 5 | dt.getSeconds() >> 1), b += 4;
	if (c != -1) {
		wbytes(d, b, f.crc);
		wbytes(d, b + 4, c < 0 ? -c - 2 : c);
		wbytes(d, b + 8, f.size);
	}
	wbytes(d, b + 12, fl);
	wbytes(d, b + 14, exl), b += 16;
	if (ce != null) {
		wbytes(d, b, col);
		wbytes(d, b + 6, f.attrs);
		wbytes(d, b + 10, ce), b += 14;
	}
	d.set(fn, b);
	b += fl;
	if (exl) for (var k in ex) {
		var exf = ex[k], l = exf.length;
		wbytes(d, b, +k);
		wbytes(d, b + 2, l);
		d.set(exf, b + 4), b += 4 + l;
	}
	if (col) d.set(co, b), b += col;
	return b;
};
var wzf = function(o, b, c, d, e) {
	wbytes(o, b, 101010256);
	wbytes(o, b + 8, c);
	wbytes(o, b + 10, c);
	wbytes(o, b + 12, d);
	wbytes(o, b + 16, e);
};
/**
* A pass-through stream to keep data uncompressed in a ZIP archive.
*/
var ZipPassThrough = /* @__PURE__ */ function() {
	/**
	* Creates a pass-through stream that can be added to ZIP archives
	* @param filename The filename to associate with this data stream
	*/
	function ZipPassThrough(filename) {
		this.filename = filename;
		this.c = crc();
		this.size = 0;
		this.compression = 0;
	}
	/**
	* Processes a chunk and pushes to the output stream. You can override this
	* method in a subclass for custom behavior, but by default this passes
	* the data through. You must call this.ondata(err, chunk, final) at some
	* point in this method.
	* @param chunk The chunk to process
	* @param final Whether this is the last chunk
	*/
	ZipPassThrough.prototype.process = function(chunk, final) {
		this.ondata(null, chunk, final);
	};
	/**
	* Pushes a chunk to be added. If you are subclassing this with a custom
	* compression algorithm, note that you must push data from the source
	* file only, pre-compression.
	* @param chunk The chunk to push
	* @param final Whether this is the last chunk
	*/
	ZipPassThrough.prototype.push = function(chunk, final) {
		if (!this.ondata) err(5);
		this.c.p(chunk);
		this.size += chunk.length;
		if (final) this.crc = this.c.d();
		this.process(chunk, final || false);
	};
	return ZipPassThrough;
}();
/**
* Streaming DEFLATE compression for ZIP archives. Prefer using AsyncZipDeflate
* for better performance
*/
var ZipDeflate = /* @__PURE__ */ function() {
	/**
	* Creates a DEFLATE stream that can be added to ZIP archives
	* @param filename The filename to associate with this data stream
	* @param opts The compression options
	*/
	function ZipDeflate(filename, opts) {
		var _this = this;
		if (!opts) opts = {};
		ZipPassThrough.call(this, filename);
		this.d = new Deflate(opts, function(dat, final) {
			_this.ondata(null, dat, final);
		});
		this.compression = 8;
		this.flag = dbf(opts.level);
	}
	ZipDeflate.prototype.process = function(chunk, final) {
		try {
			this.d.push(chunk, final);
		} catch (e) {
			this.ondata(e, null, final);
		}
	};
	/**
	* Pushes a chunk to be deflated
	* @param chunk The chunk to push
	* @param final Whether this is the last chunk
	*/
	ZipDeflate.prototype.push = function(chunk, final) {
		ZipPassThrough.prototype.push.call(this, chunk, final);
	};
	return ZipDeflate;
}();
/**
* Asynchronous streaming DEFLATE compression for ZIP archives
*/
var AsyncZipDeflate = /* @__PURE__ */ function() {
	/**
	* Creates an asynchronous DEFLATE stream that can be added to ZIP archives
	* @param filename The filename to associate with this data stream
	* @param opts The compression options
	*/
	function AsyncZipDeflate(filename, opts) {
		var _this = this;
		if (!opts) opts = {};
		ZipPassThrough.call(this, filename);
		this.d = new AsyncDeflate(opts, function(err, dat, final) {
			_this.ondata(err, dat, final);
		});
		this.compression = 8;
		this.flag = dbf(opts.level);
		this.terminate = this.d.terminate;
	}
	AsyncZipDeflate.prototype.process = function(chunk, final) {
		this.d.push(chunk, final);
	};
	/**
	* Pushes a chunk to be deflated
	* @param chunk The chunk to push
	* @param final Whether this is the last chunk
	*/
	AsyncZipDeflate.prototype.push = function(chunk, final) {
		ZipPassThrough.prototype.push.call(this, chunk, final);
	};
	return AsyncZipDeflate;
}();
/**
* A zippable archive to which files can incrementally be added
*/
var Zip = /* @__PURE__ */ function() {
	/**
	* Creates an empty ZIP archive to which files can be added
	* @param cb The callback to call whenever data for the generated ZIP archive
	*           is available
	*/
	function Zip(cb) {
		this.ondata = cb;
		this.u = [];
		this.d = 1;
	}
	/**
	* Adds a file to the ZIP archive
	* @param file The file stream to add
	*/
	Zip.prototype.add = function(file) {
		var _this = this;
		if (!this.ondata) err(5);
		if (this.d & 2) this.ondata(err(4 + (this.d & 1) * 8, 0, 1), null, false);
		else {
			var f = strToU8(file.filename), fl_1 = f.length;
			var com = file.comment, o = com && strToU8(com);
			var u = fl_1 != file.filename.length || o && com.length != o.length;
			var hl_1 = fl_1 + exfl(file.extra) + 30;
			if (fl_1 > 65535) this.ondata(err(11, 0, 1), null, false);
			var header = new u8(hl_1);
			wzh(header, 0, file, f, u, -1);
			var chks_1 = [header];
			var pAll_1 = function() {
				for (var _i = 0, chks_2 = chks_1; _i < chks_2.length; _i++) {
					var chk = chks_2[_i];
					_this.ondata(null, chk, false);
				}
				chks_1 = [];
			};
			var tr_1 = this.d;
			this.d = 0;
			var ind_1 = this.u.length;
			var uf_1 = mrg(file, {
				f,
				u,
				o,
				t: function() {
					if (file.terminate) file.terminate();
				},
				r: function() {
					pAll_1();
					if (tr_1) {
						var nxt = _this.u[ind_1 + 1];
						if (nxt) nxt.r();
						else _this.d = 1;
					}
					tr_1 = 1;
				}
			});
			var cl_1 = 0;
			file.ondata = function(err, dat, final) {
				if (err) {
					_this.ondata(err, dat, final);
					_this.terminate();
				} else {
					cl_1 += dat.length;
					chks_1.push(dat);
					if (final) {
						var dd = new u8(16);
						wbytes(dd, 0, 134695760);
						wbytes(dd, 4, file.crc);
						wbytes(dd, 8, cl_1);
						wbytes(dd, 12, file.size);
						chks_1.push(dd);
						uf_1.c = cl_1, uf_1.b = hl_1 + cl_1 + 16, uf_1.crc = file.crc, uf_1.size = file.size;
						if (tr_1) uf_1.r();
						tr_1 = 1;
					} else if (tr_1) pAll_1();
				}
			};
			this.u.push(uf_1);
		}
	};
	/**
	* Ends the process of adding files and prepares to emit the final chunks.
	* This *must* be called after adding all desired files for the resulting
	* ZIP file to work properly.
	*/
	Zip.prototype.end = function() {
		var _this = this;
		if (this.d & 2) {
			this.ondata(err(4 + (this.d & 1) * 8, 0, 1), null, true);
			return;
		}
		if (this.d) this.e();
		else this.u.push({
			r: function() {
				if (!(_this.d & 1)) return;
				_this.u.splice(-1, 1);
				_this.e();
			},
			t: function() {}
		});
		this.d = 3;
	};
	Zip.prototype.e = function() {
		var bt = 0, l = 0, tl = 0;
		for (var _i = 0, _a = this.u; _i < _a.length; _i++) {
			var f = _a[_i];
			tl += 46 + f.f.length + exfl(f.extra) + (f.o ? f.o.length : 0);
		}
		var out = new u8(tl + 22);
		for (var _b = 0, _c = this.u; _b < _c.length; _b++) {
			var f = _c[_b];
			wzh(out, bt, f, f.f, f.u, -f.c - 2, l, f.o);
			bt += 46 + f.f.length + exfl(f.extra) + (f.o ? f.o.length : 0), l += f.b;
		}
		wzf(out, bt, this.u.length, tl, l);
		this.ondata(null, out, true);
		this.d = 2;
	};
	/**
	* A method to terminate any internal workers used by the stream. Subsequent
	* calls to add() will fail.
	*/
	Zip.prototype.terminate = function() {
		for (var _i = 0, _a = this.u; _i < _a.length; _i++) _a[_i].t();
		this.d = 2;
	};
	return Zip;
}();
// ../../../work/main/node_modules/write-excel-file/modules/export/convertFilesContentToUint8Arrays.js
/**
* Converts `files` values to `Uint8Array`s.
* @param {Record<string,any>} files
* @param {function} convertFileContentToUint8Array
* @returns {Promise<Record<string,Uint8Array>>}
*/
function convertFilesContentToUint8Arrays(files, convertFileContentToUint8Array) {
	var convertedFiles = {};
	return Promise.all(Object.keys(files).map(function(key) {
		if (files[key] instanceof Uint8Array) convertedFiles[key] = files[key];
		else if (typeof files[key] === "string") convertedFiles[key] = convertStringToUint8Array(files[key]);
		else return convertFileContentToUint8Array(files[key]).then(function(uint8Array) {
			convertedFiles[key] = uint8Array;
		});
	})).then(function() {
		return convertedFiles;
	});
}
function convertStringToUint8Array(string) {
	return strToU8(string);
}
// ../../../work/main/node_modules/write-excel-file/modules/export/convertFileContentToUint8ArrayNode.js
/**
* Converts file content to a `Uint8Array`.
* @param {Stream|Buffer|Blob} fileContent
* @returns {Promise<Uint8Array>}
*/
function convertFileContentToUint8Array(fileContent) {
	if (fileContent instanceof Stream) return streamToUint8Array(fileContent);
	if (fileContent instanceof Blob) return blobToUint8Array(fileContent);
	if (fileContent instanceof Buffer$1) return Promise.resolve(fileContent);
	throw new Error("Unsupported file content type. Expected a `Stream`, a `Blob` or a `Buffer`");
}
function streamToUint8Array(stream) {
	return new Promise(function(resolve, reject) {
		var chunks = [];
		stream.on("data", function(chunk) {
			chunks.push(chunk);
		});
		stream.on("end", function() {
			resolve(Buffer$1.concat(chunks));
		});
		stream.on("error", reject);
	});
}
function blobToUint8Array(blob) {
	return blob.arrayBuffer().then(function(arrayBuffer) {
		return new Uint8Array(arrayBuffer);
	});
}
// ../../../work/main/node_modules/write-excel-file/modules/zip/zipToStream.js
var COMPRESS_FILES_IN_PARALLEL = false;
var PASS_FILE_CONTENT_AS_NODE_BUFFER = true;
/**
* Creates a `*.zip` file from a map of files in a "streaming" fashion.
* @param  {Record<string,Uint8Array>} files
* @return {Stream} Returns a readable stream with the `.zip` archive data.
*/
function zipToStream(files) {
	var stream = new PassThrough();
	var fileDataSources = {};
	var compressionOptions = void 0;
	var errored = false;
	var onError = function onError(error) {
		if (!errored) {
			errored = true;
			stream.destroy(error);
		}
	};
	var start = function start(zip) {
		for (var _i = 0, _Object$keys = Object.keys(fileDataSources); _i < _Object$keys.length; _i++) {
			var filePath = _Object$keys[_i];
			var fileData = PASS_FILE_CONTENT_AS_NODE_BUFFER ? Buffer$1.from(files[filePath]) : strToU8(files[filePath]);
			fileDataSources[filePath].push(fileData, true);
		}
		zip.end();
	};
	var zip = new Zip(function zipperCallback(error, dataChunk, isEndOfArchive) {
		if (errored) return;
		if (error) {
			onError(error);
			return;
		}
		if (isEndOfArchive) stream.end(dataChunk);
		else stream.write(dataChunk);
	});
	for (var _i2 = 0, _Object$keys2 = Object.keys(files); _i2 < _Object$keys2.length; _i2++) {
		var filePath = _Object$keys2[_i2];
		var fileDataSource = COMPRESS_FILES_IN_PARALLEL ? new AsyncZipDeflate(filePath, compressionOptions) : new ZipDeflate(filePath, compressionOptions);
		fileDataSources[filePath] = fileDataSource;
		zip.add(fileDataSource);
	}
	start(zip);
	return stream;
}
// ../../../work/main/node_modules/write-excel-file/modules/export/writeXlsxFileNode.js
/**
* Creates an `*.xlsx` file.
* @param {SheetData|Object[]|Sheet[]} arg1
* @param {object} arg2 — If `arg1` is `SheetData`, `arg2` is `SheetOptions` and `arg3` is `Options`. If `arg1` is `Sheet[]`, `arg2` is `Options`.
* @param {object} [arg3] — If `arg1` is `SheetData`, `arg2` is `SheetOptions` and `arg3` is `Options`. If `arg1` is `Sheet[]`, `arg2` is `Options`.
* @returns {object} Returns an object with `async` methods: `toBuffer()`, `toStream(writeStream?)`, `toFile(filePath)`.
*/
function writeXlsxFile(arg1, arg2, arg3) {
	var files = generateXlsxFileContents(arg1, arg2, arg3);
	var createReadableStream = function createReadableStream() {
		return convertFilesContentToUint8Arrays(files, convertFileContentToUint8Array).then(function(files) {
			return zipToStream(files);
		});
	};
	return {
		toBuffer: function toBuffer() {
			return createReadableStream().then(convertStreamToBuffer);
		},
		toStream: function toStream(writableStream) {
			if (writableStream) return createReadableStream().then(function(readableStream) {
				return pipe(readableStream, writableStream);
			});
			return createReadableStream();
		},
		toFile: function toFile(filePath) {
			return createReadableStream().then(function(readableStream) {
				return pipe(readableStream, fs.createWriteStream(filePath));
			});
		}
	};
}
/**
* Converts a readable stream to a `Buffer`.
* https://stackoverflow.com/a/67729663
* @param {Stream} stream
* @returns {Promise<Buffer>}
*/
function convertStreamToBuffer(stream) {
	return new Promise(function(resolve, reject) {
		var chunks = [];
		stream.on("data", function(chunk) {
			chunks.push(chunk);
		});
		stream.on("end", function() {
			resolve(Buffer.concat(chunks));
		});
		stream.on("error", reject);
	});
}
function pipe(readableStream, writableStream) {
	return new Promise(function(resolve, reject) {
		readableStream.pipe(writableStream).on("finish", resolve).on("error", reject);
	});
}
// dist/cli/template-workbook.js
/** What Excel shows cells of text as, and leaves as they are typed. */
const TEXT = "@";
/** The header is the first cell with a format, so that its style is the first behind the plain one. */
const TEXT_STYLE = 1;
const WIDTH = 24;
/** A sheet's name has no more, and none of the signs below (Excel's specifications and limits). */
const MAX_NAME_CHARS = 31;
/** A template as a workbook: columns of text are formatted as such to the sheet's end. */
async function templateWorkbook(columns, { sheet, header = 1 }, job) {
	const above = Array.from({ length: header - 1 }, () => []);
	const names = columns.map((column) => textCell(column.header));
	const rows = columns[0]?.cells.map((_, row) => columns.map((column) => cellOf(column, row))) ?? [];
	return writeXlsxFile([
		...above,
		names,
		...rows
	], {
		sheet: sheet ?? job.replaceAll(/[[\]:*?/\\]/g, " ").slice(0, MAX_NAME_CHARS),
		columns: columns.map(() => ({ width: WIDTH })),
		stickyRowsCount: header,
		dateFormat: "yyyy-mm-dd"
	}, { features: [textColumns(columns)] }).toBuffer();
}
function cellOf({ kind, cells }, row) {
	const cell = cells[row] ?? "";
	if (cell === "") return null;
	if (kind === "number") return Number(cell);
	if (kind === "boolean") return cell === "true";
	return kind === "date" ? new Date(cell) : textCell(cell);
}
function textCell(value) {
	return {
		value,
		type: String,
		format: TEXT
	};
}
/** The library formats cells only; empty cells below the example take their column's style. */
function textColumns(columns) {
	return { files: { transform: { "xl/worksheets/sheet{id}.xml": { transformElementAttributes: (tag, attributes, index) => {
		const kind = tag === "col" ? columns[index ?? 0]?.kind : void 0;
		return kind === "text" || kind === "list" ? {
			...attributes,
			style: TEXT_STYLE
		} : attributes;
	} } } } };
}
export { templateWorkbook };

//# sourceMappingURL=part-template-workbook-BcBMj97o.js.map