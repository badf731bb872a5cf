/** Put together with its parts by scripts/lua/compose.mjs. */
declare module '*.lua' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a file of text has nothing else to export
  export default text;
}
