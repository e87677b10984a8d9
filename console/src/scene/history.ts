import { useCallback, useReducer } from 'react';
import { allLayers, type Scene } from './model.ts';

const MAX_STEPS = 200;

type State = { past: readonly Scene[]; scene: Scene; future: readonly Scene[]; tag: string | null; selected: readonly string[] };
type Action =
  | { type: 'change'; change: (scene: Scene) => Scene; tag: string | null; selected?: readonly string[] | undefined }
  | { type: 'select'; keys: readonly string[] }
  | { type: 'undo' | 'redo' | 'settle' | 'cancel' };

export type Editing = {
  scene: Scene;
  selected: readonly string[];
  canUndo: boolean;
  canRedo: boolean;
  /** Change the scene. Changes with the same tag, one after another, are one step back. */
  change: (change: (scene: Scene) => Scene, options?: { tag?: string; selected?: readonly string[] }) => void;
  select: (keys: readonly string[]) => void;
  undo: () => void;
  redo: () => void;
  /** End a row of changes with the same tag. */
  settle: () => void;
  /** Take back a row of changes with the same tag that has not ended. */
  cancel: () => void;
};

/** A scene with its selection, and the steps back and forth. */
export function useEditing(first: Scene): Editing {
  const [state, act] = useReducer(next, first, (scene): State => ({ past: [], scene, future: [], tag: null, selected: [] }));
  const change = useCallback<Editing['change']>((change, { tag, selected } = {}) => act({ type: 'change', change, tag: tag ?? null, selected }), []);
  const select = useCallback((keys: readonly string[]) => act({ type: 'select', keys }), []);
  const undo = useCallback(() => act({ type: 'undo' }), []);
  const redo = useCallback(() => act({ type: 'redo' }), []);
  const settle = useCallback(() => act({ type: 'settle' }), []);
  const cancel = useCallback(() => act({ type: 'cancel' }), []);
  return {
    scene: state.scene, selected: state.selected, canUndo: state.past.length > 0, canRedo: state.future.length > 0,
    change, select, undo, redo, settle, cancel,
  };
}

function next(state: State, action: Action): State {
  switch (action.type) {
    case 'select':
      return isSame(action.keys, state.selected) ? state : { ...state, selected: action.keys, tag: null };
    case 'settle':
      return state.tag === null ? state : { ...state, tag: null };
    case 'cancel': {
      const before = state.past.at(-1);
      return state.tag === null || !before ? state : at(before, { ...state, past: state.past.slice(0, -1) });
    }
    case 'undo': {
      const before = state.past.at(-1);
      if (!before) return state;
      return at(before, { ...state, past: state.past.slice(0, -1), future: [state.scene, ...state.future] });
    }
    case 'redo': {
      const [after, ...future] = state.future;
      if (!after) return state;
      return at(after, { ...state, past: [...state.past, state.scene], future });
    }
    case 'change': {
      const scene = action.change(state.scene);
      const selected = action.selected ?? state.selected;
      if (scene === state.scene) return isSame(selected, state.selected) ? state : { ...state, selected };
      const isOneStep = action.tag !== null && action.tag === state.tag;
      const past = isOneStep ? state.past : [...state.past, state.scene].slice(-MAX_STEPS);
      return { past, scene, future: [], tag: action.tag, selected };
    }
  }
}

/** The state at another scene, in which some selected layers may not be. */
function at(scene: Scene, state: State): State {
  const keys = new Set(allLayers(scene.layers).map(({ layer }) => layer.key));
  return { ...state, scene, tag: null, selected: state.selected.filter((key) => keys.has(key)) };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
