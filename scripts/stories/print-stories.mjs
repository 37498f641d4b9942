import { readdirSync, readFileSync } from 'node:fs'

/** The page that the stories of a folder make: each with its symptom, its cause, the command and the lines that answer. */
export function printStories(folder) {
  const stories = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readStory(folder, name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const list = stories.map(({ title }) => `- [${title}](#${anchorOf(title)})\n`).join('')
  return [HEAD, list, ...stories.map(printStory)].join('\n')
}

const HEAD = `# Stories

What people fought with, and what the command says of it. Each is a folder of [fixtures/stories](../fixtures/stories) with the
objects, what the node holds, the question and the whole answer, of which the first lines are here: what happens, why, what to do,
and the rule that proves it, for whoever reads rules. The threads are those in
which somebody had the problem; all data is made up. What answers there are is listed in [Answers](answers.md).

This page is made by \`pnpm stories\`.
`

function readStory(folder, name) {
  const [heading = '', ...text] = readFileSync(`${folder}/${name}/README.md`, 'utf8').split('\n')
  const answer = readFileSync(`${folder}/${name}/answer.txt`, 'utf8')
  return { name, title: heading.replace('# ', ''), text: text.join('\n').trim(), answer }
}

function printStory({ name, title, text, answer }) {
  return `## ${title}\n\n${text}\n\n\`\`\`\n${firstLines(answer)}\`\`\`\n\n[The whole of it](../fixtures/stories/${name})\n`
}

/** How many lines of a command without an answer the page has room for. */
const SHORT = 24

/** Each command that has an answer of four lines, or several, and these; of other commands all they print, where that is short. */
function firstLines(answer) {
  const parts = answer.split(/^(?=\$ )/m).map((part) => {
    const [command = '', ...lines] = part.trimEnd().split('\n')
    const told = lines.filter((line, index) => /^(?:why|do|rule): /.test(line) || /^why: /.test(lines[index + 1] ?? ''))
    if (told.length === 0 && lines.length > SHORT) return ''
    return `${[command, ...(told.length === 0 ? lines : told)].join('\n')}\n`
  })
  return parts.filter((part) => part !== '').join('\n')
}

/** As GitHub makes them. */
function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')
}
