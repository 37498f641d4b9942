import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CONFIGURATIONS = ['tsconfig.base.json', 'tsconfig.test.json', 'package.json']

/**
 * Checks types in a copy of the repository, created on first use. `accepts(mutant)` reports whether all types are
 * correct. It throws if a type is already wrong without a mutant.
 */
export function createTypeChecker(root) {
  let copy
  return {
    accepts: ({ file, text, source }) => {
      if (copy === undefined) {
        copy = copyOf(root)
        if (!isCorrect(root, copy)) throw new Error('types are wrong without any mutant')
      }
      writeFileSync(join(copy, file), text)
      const accepted = isCorrect(root, copy)
      writeFileSync(join(copy, file), source)
      return accepted
    },
    close: () => {
      if (copy !== undefined) rmSync(copy, { recursive: true, force: true })
      copy = undefined
    },
  }
}

function isCorrect(root, copy) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['-p', 'tsconfig.test.json', '--incremental', '--tsBuildInfoFile', 'types.tsbuildinfo']
  const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: copy, stdio: 'ignore' })
  if (status === null) throw new Error('the type checker was ended')
  return status === 0
}

/**
 * Copies sources, tests and configurations. Installed packages are links, but links to our own packages point to the
 * copy.
 */
function copyOf(root) {
  const copy = mkdtempSync(join(tmpdir(), 'kube-rules-mutants-'))
  for (const file of CONFIGURATIONS) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'packages'))) {
    for (const part of ['src', 'test', 'package.json']) {
      cpSync(join(root, 'packages', name, part), join(copy, 'packages', name, part), { recursive: true })
    }
    linkInstalled(join(root, 'packages', name, 'node_modules'), join(copy, 'packages', name, 'node_modules'), copy)
  }
  return copy
}

function linkInstalled(from, to, copy) {
  mkdirSync(to, { recursive: true })
  for (const entry of existsSync(from) ? readdirSync(from) : []) {
    if (entry !== '@kube-rules') symlinkSync(join(from, entry), join(to, entry))
    else {
      mkdirSync(join(to, entry))
      for (const name of readdirSync(join(from, entry)))
        symlinkSync(join(copy, 'packages', name), join(to, entry, name))
    }
  }
}
