/** `Firefox on Windows`: enough for operators to recognize their own sessions. */
export function browserName(userAgent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([sign]) => sign.test(userAgent))?.[1]
  const browser = find([
    [/\bEdg/, 'Edge'],
    [/\bFirefox\//, 'Firefox'],
    [/\bChrome\/|\bCriOS\//, 'Chrome'],
    [/\bSafari\//, 'Safari'],
  ])
  const system = find([
    [/\biPhone|\biPad/, 'iOS'],
    [/\bAndroid/, 'Android'],
    [/\bWindows/, 'Windows'],
    [/\bMac OS X/, 'macOS'],
    [/\bLinux/, 'Linux'],
  ])
  if (browser === undefined) return 'a browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
