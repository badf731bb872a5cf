export {};
//# sourceMappingURL=redis-connection.js.map