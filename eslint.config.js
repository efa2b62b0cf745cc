import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import plainWords from './plain-words.json' with { type: 'json' }

/** Matches a word that is not plain English, in comments, texts and titles. */
const plainEnglish = `/\\b(${plainWords.join('|')})\\b/i`
const message = 'Name the component, or use a plain word: see plain-words.json.'

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'reports', 'node_modules', '.stepward'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', '.dependency-cruiser.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Work behind a promise without a waiter can fail unseen.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // `import { type A }` would still load the module when it runs.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // Numbers and unions of literals read well inside templates; objects are still refused.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // An async function may satisfy an asynchronous port without anything to wait for (in-memory adapters).
      '@typescript-eslint/require-await': 'off',
      // `type` and `interface` are both used: interface for shapes with members, type for unions and functions.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `while (true)` is how a loop that ends by a signal reads best.
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      'max-params': ['error', 4],
      // The code has no enums and creates classes by name only, so these two would only cost a fifth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      'no-warning-comments': ['error', { terms: plainWords, location: 'anywhere' }],
      'no-restricted-syntax': [
        'error',
        { selector: `Literal[value=${plainEnglish}]`, message },
        { selector: `TemplateElement[value.raw=${plainEnglish}]`, message },
      ],
    },
  },
  {
    // A describe block is a table of contents, not a function with one responsibility.
    files: ['test/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['test/unit/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: 'support/(state-world|cosmos-world|a-runtime|supervised|processor-world)',
              message: 'A test that runs several rooms belongs in test/integration.',
            },
          ],
        },
      ],
    },
  },
  {
    // The pages read JSON whose shape a server decides, and the compiler knows the names of the browser.
    files: ['src/emulator/explorer/page/**', 'src/page/browser/**'],
    rules: {
      'no-undef': 'off',
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['eslint.config.js', '.dependency-cruiser.js'], ...tseslint.configs.disableTypeChecked },
)
