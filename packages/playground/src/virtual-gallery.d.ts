declare module 'virtual:gallery' {
  import type { Example } from '../builder/examples.js'
  import type { PlaygroundRequest } from './question/playground-request.js'
  export const EXAMPLES: readonly (Omit<Example, 'question'> & { readonly question: Partial<PlaygroundRequest> })[]
}
