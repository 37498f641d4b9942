// Packs every package and checks the result as a user would: the files, the statements of each README, and projects
// that install and use the packages (packages/check-*.mjs). Requires the network as far as `pnpm install` does. Run it
// as `pnpm packages`.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCommand } from './packages/check-command.mjs'
import { checkContent } from './packages/check-content.mjs'
import { checkExamples } from './packages/check-examples.mjs'
import { checkJest } from './packages/check-jest.mjs'
import { checkLibrary } from './packages/check-library.mjs'
import { packAll } from './packages/pack.mjs'
import { problemsOf } from './packages/run.mjs'

/** The maximum number of files in all packages together, with declarations and source maps. */
const MAXIMUM_FILES = 400

const temporary = mkdtempSync(join(tmpdir(), 'check-packages-'))

try {
  const packages = packAll(newFolder('packed'))
  const problems = await problemsOf(
    checkNumberOfFiles(packages),
    ...packages.map((packed) => timed(`content of ${packed.name}`, checkContent(packed))),
    timed('examples', checkExamples(packages, newFolder('examples'))),
    timed('command', checkCommand(packages, newFolder('command'))),
    timed('library', checkLibrary(packages, newFolder('library'))),
    timed('jest', checkJest(packages, newFolder('jest'))),
  )
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? 'packages: all checks hold' : `packages: ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(temporary, { recursive: true })
}

function checkNumberOfFiles(packages) {
  const count = packages.flatMap(({ content }) =>
    readdirSync(content, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  ).length
  console.log(`${count} files of ${MAXIMUM_FILES} allowed`)
  return count <= MAXIMUM_FILES ? [] : [`all packages: ${count} files, ${MAXIMUM_FILES} are allowed`]
}

function newFolder(name) {
  const folder = join(temporary, name)
  mkdirSync(folder)
  return folder
}

async function timed(heading, check) {
  const start = performance.now()
  const problems = await check
  console.log(`${heading}: ${Math.round((performance.now() - start) / 1000)} s`)
  return problems
}
