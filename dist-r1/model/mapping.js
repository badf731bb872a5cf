export {};
//# sourceMappingURL=mapping.js.map