// Reactors
