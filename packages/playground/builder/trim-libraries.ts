import type { Plugin } from 'vite'

/** A replacement in the source of a library that lets the bundler drop code without a use in the page. */
interface Trim {
  /** A part of the path of the file. */
  readonly file: string
  readonly pattern: RegExp
  readonly replacement: string
}

const PURE = '/* @__PURE__ */'

/**
 * What the page never runs: the writer of YAML, the schema of YAML 1.1, branches for Internet Explorer, the input by
 * EditContext in Chrome for Android, which reads the input like other browsers instead, and the
 * movement of the cursor in texts from right to left.
 */
export const TRIMS: readonly Trim[] = [
  {
    file: '/js-yaml/dist/',
    pattern: /^var (\w+) = (?=new Schema\(|\w+\.withTags\()/gm,
    replacement: `var $1 = ${PURE} `,
  },
  { file: '/js-yaml/dist/', pattern: /(?<=scalarStyleRules: )(?=Object\.keys\()/g, replacement: `${PURE} ` },
  { file: '/@codemirror/view/dist/', pattern: /\bbrowser\.ie_version\b/g, replacement: '0' },
  { file: '/@codemirror/view/dist/', pattern: /\bbrowser\.ie\b/g, replacement: 'false' },
  // The static field EDIT_CONTEXT of the editor would also turn this off, but without saving any bytes.
  {
    file: '/@codemirror/view/dist/',
    pattern: /\bwindow\.EditContext && (?=browser\.android)/g,
    replacement: 'false && ',
  },
  // In Arabic and Hebrew, the arrow keys then move the cursor in the order of the text instead of its display.
  {
    file: '/@codemirror/view/dist/',
    pattern: /\bcomputeOrder\(line\.text, dir, isolates\)/g,
    replacement: 'trivialOrder(line.length)',
  },
]

/** Applies `TRIMS`. A replacement that finds nothing is an error, because a new version of the library needs another. */
export function trimLibraries(): Plugin {
  return {
    name: 'trim-libraries',
    apply: 'build',
    transform: (code, id) => {
      const trims = TRIMS.filter(({ file }) => id.includes(file))
      return trims.length === 0 ? undefined : { code: trims.reduce(trim, code), map: null }
    },
  }
}

function trim(code: string, { file, pattern, replacement }: Trim): string {
  const trimmed = code.replace(pattern, replacement)
  if (trimmed === code) throw new Error(`${file}: nothing matches ${pattern}`)
  return trimmed
}
