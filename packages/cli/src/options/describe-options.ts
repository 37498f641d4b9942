import type { Option, OptionTable } from './option.js'

/** The options as lines of a help text: `  -f, --filename FILE   Description.` */
export function describeOptions(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, option]) => [optionWords(name, option), option.description] as const)
  return printColumns(rows)
}

/** Two columns, the second aligned; its further lines are indented. Ends in a line break. */
export function printColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  const indent = `\n${' '.repeat(width + 2)}`
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right.replaceAll('\n', indent)}\n`).join('')
}

function optionWords(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    '
  const value = option.type === 'boolean' ? '' : ` ${option.placeholder ?? option.choices?.join('|') ?? 'VALUE'}`
  return `${short}--${name}${value}`
}
