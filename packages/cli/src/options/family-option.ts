/** The choices of the option `--family` of several commands. */
export const familyOption = {
  type: 'string',
  choices: ['4', '6', 'both'],
  alsoWritten: { ipv4: '4', ipv6: '6' },
} as const
