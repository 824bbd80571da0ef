/** Strings that a careless hop bends, by what is special about them. */
export const awkwardStrings: Record<string, string> = {
  empty: '',
  astral: '😀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧‍👦 🇳🇴',
  lineSeparators: 'a\u2028b\u2029c\u0085d',
  newlines: 'a\nb\rc\r\nd\n\n',
  nul: 'a\u0000b',
  controls: '\u0001\u0007\b\u001b[31m\u007f\u009f',
  byteOrderMark: '\ufeffmarked\ufeff',
  loneHighSurrogate: 'high \ud83d end',
  loneLowSurrogate: 'low \ude00 end',
  reversedSurrogates: '\ude00\ud83d',
  composed: '\u00e9',
  decomposed: 'e\u0301',
  rightToLeft: '\u202eabc\u202c שלום',
  replacement: '\ufffd',
  nonCharacters: '\ufffe\uffff',
  quotes: '"\\/\'`',
  eventStream: 'data: x\n\nevent: y\nid: z\n\n: comment\n\n',
  template: '$' + '{HOME} {{HOME}} $(id) %s',
}

/** JSON members that a careless hop bends: odd names, extreme numbers, things that are falsy. */
export const awkwardMembers: unknown = JSON.parse(`{
  "": "an empty name",
  "__proto__": { "polluted": true },
  "constructor": { "prototype": { "polluted": true } },
  "toString": null,
  "a\\u0000b": "NUL in a name",
  "😀": "astral name",
  "0": "looks like an index",
  "falsy": [null, false, 0, "", [], {}],
  "numbers": [9007199254740993, -9007199254740991, 1e308, 5e-324, 0.1, 1.0, -1],
  "nested": [[[[[[[["deep"]]]]]]]]
}`)
