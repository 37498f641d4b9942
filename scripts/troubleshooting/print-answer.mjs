/** The maximum number of printed lines of an output without a diagnosis. */
const SHORT = 24

/** Returns the commands of a terminal output as Markdown. Diagnoses become text, so that they wrap. */
export function printAnswer(answer) {
  return answer
    .split(/^(?=\$ )/m)
    .map((part) => {
      const [command, ...lines] = part.trimEnd().split('\n')
      return { command: command.replace('$ ', ''), lines: lines.filter((line) => !isUsualNote(line)) }
    })
    .filter(({ lines }) => lines.some(isCause) || lines.length <= SHORT)
    .map(({ command, lines }, index) => {
      const number = index === 0 ? '' : ` ${index + 1}`
      const shown = lines.some(isCause) ? printDiagnoses(diagnosesIn(lines)) : block('', lines)
      return `## Question${number}\n\n${block('sh', [command])}\n## Answer${number}\n\n${shown}`
    })
    .join('\n')
}

const isCause = (line) => line.startsWith('why: ')

/** Every command with objects of a Node prints this note. */
const isUsualNote = (line) => /^note: Node .* has version/.test(line)

/** Returns the lines of each diagnosis: from the line before its cause up to its rule. */
function diagnosesIn(lines) {
  const starts = lines.flatMap((line, at) => (isCause(line) ? [at - 1] : []))
  return starts.map((start) => {
    const end = lines.findIndex((line, at) => at > start && line.startsWith('rule: '))
    return lines.slice(start, end + 1)
  })
}

/** Prints the first diagnosis, and of each further one only its summary. */
function printDiagnoses([first, ...others]) {
  const summaries = others.map(([summary]) => `* ${escapeText(summary)}\n`).join('')
  return `${printDiagnosis(first)}${summaries === '' ? '' : `\nThe command also prints these diagnoses:\n\n${summaries}`}`
}

function printDiagnosis([summary, cause, ...rest]) {
  const rule = rest.at(-1).replace('rule: ', '')
  const steps = rest.slice(1, -1).map(printStepLine)
  return `**${escapeText(summary)}.**\n\n${sentence(cause.replace('why: ', ''))}\n\n${steps.join('\n')}\nThe rule:\n\n${block('', [rule])}`
}

/** A line of the steps: `  1. Text`, `     then: text`, `     impact: text` or a command. */
function printStepLine(line) {
  const [, number, text] = /^ {2}(\d+)\. (.*)$/.exec(line) ?? []
  if (number !== undefined) return `${number}. ${endSentence(escapeText(text))}\n`
  const [, word, effect] = /^ {5}(then|impact): (.*)$/.exec(line) ?? []
  if (word !== undefined) return `   ${sentence(`${word}: ${effect}`)}\n`
  return `   \`\`\`sh\n   ${line.trim()}\n   \`\`\`\n`
}

function sentence(text) {
  return endSentence(
    escapeText(text.replace(/^[a-z]+(?=[ :])/, (word) => word.charAt(0).toUpperCase() + word.slice(1))),
  )
}

function endSentence(text) {
  return text.endsWith(':') ? text : `${text}.`
}

/** Escapes the characters of Markdown and HTML that occur in messages. */
function escapeText(text) {
  return text.replace(/[*<[`]/g, '\\$&')
}

function block(language, lines) {
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\`\n`
}
